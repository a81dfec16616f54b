package rdf

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/labels"
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
	warnings   []string // of the reader
	// Note describes another meaning of the name given to [Open]; "" if it has none.
	Note string
}

// Validate returns an error if a triple or a labelled node has an index out of range, if a name
// cannot be stored, or if a node is labelled twice. Graphs from files are valid.
func (g *Graph) Validate() error {
	for _, part := range []struct {
		what  string
		names []string
	}{{"node", g.Nodes}, {"relation", g.Relations}, {"class", g.Classes}} {
		if len(part.names) == 0 || g.Folder != "" { // a reader has checked the names
			continue
		}
		if at, err := labels.Check(part.names); err != nil {
			return fmt.Errorf("%s: %s %d: %w", strings.TrimSpace("graph "+g.Name), part.what, at, err)
		}
	}
	check := func(where string, i int, what string, index int32, names []string) error {
		if index >= 0 && int(index) < len(names) {
			return nil
		}
		return fmt.Errorf("%s: %s %d: %s %d has no name: use indices below %d, or add the name",
			strings.TrimSpace("graph "+g.Name), where, i, what, index, len(names))
	}
	for i, t := range g.Triples {
		err := cmp.Or(check("triple", i, "head", t.Head, g.Nodes),
			check("triple", i, "relation", t.Relation, g.Relations),
			check("triple", i, "tail", t.Tail, g.Nodes))
		if err != nil {
			return err
		}
	}
	labelled := map[int32]bool{}
	for split, all := range [][]Label{g.Train, g.Test} {
		where := [...]string{"training label", "test label"}[split]
		for i, l := range all {
			err := cmp.Or(check(where, i, "node", l.Node, g.Nodes),
				check(where, i, "class", l.Class, g.Classes))
			if err != nil {
				return err
			}
			if labelled[l.Node] {
				return fmt.Errorf("%s: %s %d: node %q has another label: keep one of them",
					strings.TrimSpace("graph "+g.Name), where, i, g.Nodes[l.Node])
			}
			labelled[l.Node] = true
		}
	}
	return nil
}

// Label assigns a class to a node, as indices into Nodes and Classes.
type Label struct{ Node, Class int32 }

// Warnings returns likely mistakes: a name with two meanings, skipped lines, what else the reader left
// out, and labels that look alike.
func (g *Graph) Warnings() (all []string) {
	if g.Note != "" {
		all = append(all, g.Note)
	}
	if g.Skipped > 0 {
		lines := format.Count(g.Skipped, "malformed line")
		all = append(all, fmt.Sprintf("skipped %s; the first: %v", lines, g.FirstSkipped))
	}
	return append(append(all, g.warnings...), g.lookAlikes()...)
}
