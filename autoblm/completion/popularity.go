package completion

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
)

// Popularity ranks triples by how often an answer occurs in train with the relation of the query,
// whatever the other entity is. A model that ranks worse has learned nothing about the entities.
// Known answers do not count, as in [RankSplit].
func Popularity(g *datasets.Graph, triples []datasets.Triple) []eval.Ranked {
	heads, tails := make([]answerCounts, len(g.Relations)), make([]answerCounts, len(g.Relations))
	for _, t := range g.Train {
		heads[t.Relation].add(t.Head)
		tails[t.Relation].add(t.Tail)
	}
	for r := range heads {
		heads[r].sort()
		tails[r].sort()
	}
	known := g.Known()
	ranks := make([]eval.Ranked, len(triples))
	for i, t := range triples {
		ranks[i] = eval.Ranked{
			Tail: tails[t.Relation].rank(t.Tail, known.Tails(t.Head, t.Relation), len(g.Entities)),
			Head: heads[t.Relation].rank(t.Head, known.Heads(t.Relation, t.Tail), len(g.Entities)),
		}
	}
	return ranks
}

// answerCounts counts the answers of a relation.
type answerCounts struct {
	of     map[int32]int32
	sorted []int32 // the counts, ascending
}

func (c *answerCounts) add(entity int32) {
	if c.of == nil {
		c.of = map[int32]int32{}
	}
	c.of[entity]++
}

func (c *answerCounts) sort() {
	for _, n := range c.of {
		c.sorted = append(c.sorted, n)
	}
	slices.Sort(c.sorted)
}

// rank returns the rank of an entity among all entities without the other known answers.
func (c *answerCounts) rank(entity int32, known []int32, entities int) (r eval.Rank) {
	n := c.of[entity]
	from, _ := slices.BinarySearch(c.sorted, n)
	to, _ := slices.BinarySearch(c.sorted, n+1)
	r.Better, r.Equal = int32(len(c.sorted)-to), int32(to-from)
	if n == 0 {
		r.Equal = int32(entities - len(c.sorted))
	}
	r.Equal-- // the entity itself
	for _, other := range known {
		switch m := c.of[other]; {
		case other == entity:
		case m > n:
			r.Better--
		case m == n:
			r.Equal--
		}
	}
	return r
}
