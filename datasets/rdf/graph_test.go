package rdf

import (
	"testing"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestValidate checks that each index out of range is an error.
func TestValidate(t *testing.T) {
	for want, spoil := range map[string]func(g *Graph){
		"":                                               func(*Graph) {},
		"triple 1: head 2 has no name":                   func(g *Graph) { g.Triples[1].Head = 2 },
		"triple 0: relation -1 has no name":              func(g *Graph) { g.Triples[0].Relation = -1 },
		"triple 1: tail 9 has no name":                   func(g *Graph) { g.Triples[1].Tail = 9 },
		"training label 0: node 2":                       func(g *Graph) { g.Train[0].Node = 2 },
		"test label 0: class 1 has no name":              func(g *Graph) { g.Test[0].Class = 1 },
		"graph made: test label 0: node -1 ":             func(g *Graph) { g.Test[0].Node = -1 },
		"graph made: node 1: the label is empty":         func(g *Graph) { g.Nodes[1] = "" },
		`relation 0: the label "<r\n>" holds a line end`: func(g *Graph) { g.Relations[0] = "<r\n>" },
		`class 1: the label "c" is also on line 1`:       func(g *Graph) { g.Classes = []string{"c", "c"} },
		`test label 0: node "<a>" has another label`:     func(g *Graph) { g.Test[0].Node = 0 },
	} {
		g := &Graph{
			Name: "made", Nodes: []string{"<a>", "<b>"}, Relations: []string{"<r>"},
			Triples: []datasets.Triple{{Head: 0, Tail: 1}, {Head: 1, Tail: 1}}, Classes: []string{"c"},
			Train: []Label{{Node: 0}}, Test: []Label{{Node: 1}},
		}
		spoil(g)
		if want == "" {
			require.NoError(t, g.Validate())
			continue
		}
		require.Error(t, g.Validate(), want)
	}
}
