package classify

import (
	"cmp"
	"slices"

	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// edge carries messages between nodes of the graph, or between rows of two layers.
type edge struct{ target, relation, source int32 }

// edgesOf returns the edges of a graph. A triple (i, r, j) is an edge from its tail j to its head
// i (Section II-B of the paper), and a reverse edge has another relation. GCN has one kind of
// edge, and at most one edge from a node to another.
func edgesOf(g *rdf.Graph, s Settings) []edge {
	var all []edge
	reverse := int32(len(g.Relations))
	for _, t := range g.Triples {
		all = append(all, edge{t.Head, t.Relation, t.Tail})
		if s.Reverse {
			all = append(all, edge{t.Tail, t.Relation + reverse, t.Head})
		}
	}
	if s.Encoder != GCN {
		return all
	}
	for i := range all {
		all[i].relation = 0
	}
	slices.SortFunc(all, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.target, b.target), cmp.Compare(a.source, b.source))
	})
	return slices.Compact(all)
}

// edgeKinds returns the number of kinds of edges for a number of relations.
func edgeKinds(relations int, s Settings) int {
	switch {
	case s.Encoder == GCN:
		return 1
	case s.Reverse:
		return 2 * relations
	}
	return relations
}

// labelledNodes returns the labelled nodes, training nodes first.
func labelledNodes(g *rdf.Graph) []rdf.Label { return slices.Concat(g.Train, g.Test) }
