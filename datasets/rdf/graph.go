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
	// Folder is the absolute path of its files.
	Folder string
	// Nodes are terms of N-Triples, as <http://a.b/c>, _:blank or "text"@en, and
	// Relations the predicates. A [datasets.Triple] has indices into both.
	Nodes, Relations []string
	// Triples are distinct, in the order of the file.
	Triples []datasets.Triple
	// Classes are the names of the classes, sorted.
	Classes []string
	// Train and Test hold the labelled nodes in the order of their files, each node once.
	Train, Test []Label
	// Skipped counts the malformed lines that were skipped, and FirstSkipped is the error
	// of the first; see [Options].
	Skipped      int
	FirstSkipped error
	// Normalized is true if all labels are in their normal form; see [Options].
	Normalized bool
	// Note describes another meaning of the name given to [Open]; "" if it has none.
	Note string
}

// Label assigns a class to a node, as indices into Nodes and Classes.
type Label struct{ Node, Class int32 }

// Warnings returns likely mistakes: a name with two meanings, skipped lines, and labels that look
// alike.
func (g *Graph) Warnings() (all []string) {
	if g.Note != "" {
		all = append(all, g.Note)
	}
	if g.Skipped > 0 {
		lines := format.Count(g.Skipped, "malformed line")
		all = append(all, fmt.Sprintf("skipped %s; the first: %v", lines, g.FirstSkipped))
	}
	return append(all, g.lookAlikes()...)
}
