package rdf

import (
	"fmt"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
)

// Graph is an RDF graph with the classes of some of its nodes.
type Graph struct {
	// Name is the name in the registry, or the last part of the folder's path.
	Name string
	// Folder is the absolute path that it was read from.
	Folder string
	// Nodes are terms of N-Triples, as <http://a.b/c>, _:blank or "text"@en, and
	// Relations the predicates. A [datasets.Triple] has indices into both.
	Nodes, Relations []string
	// Triples are distinct, in the order of the file.
	Triples []datasets.Triple
	// Classes are the names of the classes, sorted.
	Classes []string
	// Train and Test are the labelled nodes in the order of their files. No node is
	// in them twice.
	Train, Test []Label
	// Repeated is how many lines said what a line before them had said.
	Repeated int
	// Skipped is how many malformed lines were passed over, and FirstSkipped what
	// was wrong with the first of them; see [Options].
	Skipped      int
	FirstSkipped error
	// Note says what else the name could mean that [Open] was given, "" where there is nothing.
	Note string
}

// Label is the class of a node, as indices into the nodes and the classes.
type Label struct{ Node, Class int32 }

// Warnings are what whoever uses the graph should know: that its name has two meanings, and
// that lines were passed over.
func (g *Graph) Warnings() (all []string) {
	if g.Note != "" {
		all = append(all, g.Note)
	}
	if g.Skipped > 0 {
		all = append(all, fmt.Sprintf("passed over %s; the first: %v", format.Count(g.Skipped, "line"), g.FirstSkipped))
	}
	return all
}
