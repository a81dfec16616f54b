package completion

import (
	"cmp"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

// Part is the evaluation of the triples that have something in common.
type Part struct {
	Name    string      `json:"name"`
	Triples int         `json:"triples"`
	Both    kge.Metrics `json:"both"`
	Head    kge.Metrics `json:"head"`
	Tail    kge.Metrics `json:"tail"`
}

// ByRelation evaluates each relation apart, the most frequent first. ranks
// belong to triples, one for one.
func ByRelation(g *datasets.Graph, triples []datasets.Triple, ranks []kge.Ranked, ties kge.Ties) []Part {
	return breakdown(triples, ranks, ties, func(t datasets.Triple) []string {
		return []string{g.Relations[t.Relation]}
	})
}

// ByPattern evaluates each relation pattern apart (paper, Appendix B):
// symmetric, anti-symmetric, general, and inverse, which general relations may be too.
func ByPattern(g *datasets.Graph, triples []datasets.Triple, ranks []kge.Ranked, ties kge.Ties) []Part {
	patterns := datasets.Patterns(g)
	return breakdown(triples, ranks, ties, func(t datasets.Triple) []string {
		p := patterns[t.Relation]
		names := []string{p.Pattern.String()}
		if p.Inverse {
			names = append(names, "inverse")
		}
		return names
	})
}

func breakdown(triples []datasets.Triple, ranks []kge.Ranked, ties kge.Ties, names func(datasets.Triple) []string) []Part {
	groups := map[string][]kge.Ranked{}
	for i, t := range triples {
		for _, name := range names(t) {
			groups[name] = append(groups[name], ranks[i])
		}
	}
	parts := make([]Part, 0, len(groups))
	for name, group := range groups {
		e := Summarize(group, ties)
		parts = append(parts, Part{Name: name, Triples: e.Triples, Both: e.Both, Head: e.Head, Tail: e.Tail})
	}
	slices.SortFunc(parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.Triples, a.Triples), cmp.Compare(a.Name, b.Name))
	})
	return parts
}
