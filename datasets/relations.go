package datasets

import (
	"cmp"
	"slices"
)

// RelationStatistics describes one relation.
type RelationStatistics struct {
	Relation string `json:"relation"`
	// Train, Valid and Test count its triples, duplicates included.
	Train int `json:"train"`
	Valid int `json:"valid"`
	Test  int `json:"test"`
	// Pattern is symmetric, anti-symmetric, general or inverse; see [Patterns].
	Pattern string `json:"pattern"`
	// Example is its first triple, from train if train has one; nil without triples.
	Example *Fact `json:"example"`
}

// Triples returns the number of triples in all splits.
func (r RelationStatistics) Triples() int { return r.Train + r.Valid + r.Test }

// Fact is a triple of labels.
type Fact struct {
	Head     string `json:"head"`
	Relation string `json:"relation"`
	Tail     string `json:"tail"`
}

// DescribeRelations returns the statistics of the top relations, the most frequent first;
// top < 1 means all.
func DescribeRelations(g *Graph, top int) []RelationStatistics {
	all := make([]RelationStatistics, len(g.Relations))
	for r, pattern := range Patterns(g) {
		all[r] = RelationStatistics{Relation: g.Relations[r], Pattern: pattern.Pattern.String()}
		if pattern.Inverse {
			all[r].Pattern = "inverse"
		}
	}
	count := func(split []Triple, counter func(r *RelationStatistics) *int) {
		for _, t := range split {
			r := &all[t.Relation]
			*counter(r)++
			if r.Example == nil {
				r.Example = &Fact{g.Entities[t.Head], g.Relations[t.Relation], g.Entities[t.Tail]}
			}
		}
	}
	count(g.Train, func(r *RelationStatistics) *int { return &r.Train })
	count(g.Valid, func(r *RelationStatistics) *int { return &r.Valid })
	count(g.Test, func(r *RelationStatistics) *int { return &r.Test })
	slices.SortStableFunc(all, func(a, b RelationStatistics) int {
		return cmp.Compare(b.Triples(), a.Triples())
	})
	if top < 1 {
		return all
	}
	return all[:min(top, len(all))]
}
