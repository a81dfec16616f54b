package datasets

import (
	"math"
	"testing"
)

// TestValidate checks that each mistake in a graph made in memory is an error.
func TestValidate(t *testing.T) {
	if err := World().Validate(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(g *Graph){
		"test triple 0: tail 2 has no label: use ids from 0 to 1": func(g *Graph) { g.Test[0].Tail = 2 },
		"valid triple 0: head -1 has no label":                    func(g *Graph) { g.Valid[0].Head = -1 },
		"train triple 1: relation 1 has no label":                 func(g *Graph) { g.Train[1].Relation = 1 },
		`the label "a" names entity 0 and 1`:                      func(g *Graph) { g.Entities[1] = "a" },
		"relation 0 has an empty label":                           func(g *Graph) { g.Relations[0] = "" },
		`the label "a\nb" of entity 0 holds a line end`:           func(g *Graph) { g.Entities[0] = "a\nb" },
		`the label "\ufeffa" of entity 0 begins with a byte-order mark`: func(g *Graph) {
			g.Entities[0] = "\uFEFFa"
		},
		"no relation labels":                  func(g *Graph) { g.Relations = nil },
		"1 weights for 2 training triples":    func(g *Graph) { g.Weights = []float32{1} },
		"the weight NaN of training triple 1": func(g *Graph) { g.Weights[1] = float32(math.NaN()) },
		"the weight -1 of training triple 0":  func(g *Graph) { g.Weights[0] = -1 },
		"all weights are 0":                   func(g *Graph) { clear(g.Weights) },
	} {
		g := &Graph{
			Name: "made", Entities: []string{"a", "b"}, Relations: []string{"r"},
			Train: []Triple{{0, 0, 1}, {1, 0, 1}}, Weights: []float32{1, 0}, Valid: []Triple{{0, 0, 0}}, Test: []Triple{{1, 0, 0}},
		}
		spoil(g)
		checkError(t, g.Validate(), want)
	}
}

// TestIDsWithoutLabels checks that functions on a graph with an id out of range return an error.
func TestIDsWithoutLabels(t *testing.T) {
	for want, wrong := range map[string]Triple{
		"train triple 1: head 2 has no label: use ids from 0 to 1": {2, 0, 0},
		"train triple 1: relation -1 has no label":                 {0, -1, 0},
	} {
		g := &Graph{
			Name: "made", Entities: []string{"a", "b"}, Relations: []string{"r"},
			Train: []Triple{{0, 0, 1}, wrong},
		}
		_, _, err := SplitTriples(g, DefaultSplit())
		checkError(t, err, "split graph made: "+want)
		checkError(t, WriteFolder(g, t.TempDir()), "write graph made: "+want)
	}
	checkError(t, (&Graph{Train: []Triple{{}}}).ValidateIDs(), "head 0 has no label: add the labels")
}
