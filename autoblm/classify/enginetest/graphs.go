package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// RandomGraph returns a graph with hubs, unreachable parts, 3 classes, 9 training nodes and 3 test
// nodes.
func RandomGraph(rng *rand.Rand, nodes, relations, triples int) *rdf.Graph {
	g := &rdf.Graph{Name: "random", Classes: []string{"a", "b", "c"}}
	for i := range nodes {
		g.Nodes = append(g.Nodes, fmt.Sprintf("<n:%d>", i))
	}
	for i := range relations {
		g.Relations = append(g.Relations, fmt.Sprintf("<r:%d>", i))
	}
	// nodes with small numbers are hubs
	any := func(n int) int32 { return int32(float64(n) * math.Pow(rng.Float64(), 2)) }
	for range triples {
		t := datasets.Triple{Head: any(nodes), Relation: any(relations), Tail: any(nodes)}
		if !slices.Contains(g.Triples, t) {
			g.Triples = append(g.Triples, t)
		}
	}
	for i, node := range rng.Perm(nodes)[:12] {
		label := rdf.Label{Node: int32(node), Class: int32(i % 3)}
		if i < 9 {
			g.Train = append(g.Train, label)
		} else {
			g.Test = append(g.Test, label)
		}
	}
	return g
}

// KindsGraph returns a graph with a number of labelled nodes, which all point at two hubs. Their
// class decides which relation leads to which hub. A quarter are test nodes.
func KindsGraph(nodes int) *rdf.Graph {
	g := &rdf.Graph{Name: "kinds", Nodes: []string{"<hub:0>", "<hub:1>"},
		Relations: []string{"<r:0>", "<r:1>"}, Classes: []string{"a", "b"}}
	for i := range nodes {
		class := int32(i % 2)
		node := int32(len(g.Nodes))
		g.Nodes = append(g.Nodes, fmt.Sprintf("<n:%d>", i))
		g.Triples = append(g.Triples, datasets.Triple{Head: node, Relation: class, Tail: 0},
			datasets.Triple{Head: node, Relation: 1 - class, Tail: 1})
		label := rdf.Label{Node: node, Class: class}
		if i/2%4 < 3 {
			g.Train = append(g.Train, label)
		} else {
			g.Test = append(g.Test, label)
		}
	}
	return g
}

// Settings returns settings that together cover every encoder, norm and option.
func Settings() []classify.Settings {
	var all []classify.Settings
	for _, e := range classify.Encoders() {
		for n, norm := range []classify.Norm{classify.NoNorm, classify.ByRelation,
			classify.ByRelationRoot, classify.Symmetric} {
			s := classify.Defaults(e)
			s.Dim, s.Parts, s.Layers = []int{4, 12, 16, 20}[(n+int(e))%4], 2, 1+n%3
			s.Norm, s.SelfLoops, s.Reverse, s.Transform, s.Hidden = norm, n != 1, n != 2, n != 3, n != 0
			s.SeenBy = []int{0, 2, 6, 3}[n]
			all = append(all, s)
		}
	}
	return all
}

// Describe names the settings of a test.
func Describe(s classify.Settings) string {
	return fmt.Sprintf("%v, d %d, %d layers, norm %v, self-loops %v, reverse %v, seen by %d",
		s.Encoder, s.Dim, s.Layers, s.Norm, s.SelfLoops, s.Reverse, s.SeenBy)
}
