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
	// Queries with many known answers are frequent, so their counts are kept.
	knownTails, knownHeads := map[pair]knownCounts{}, map[pair]knownCounts{}
	ranks := make([]eval.Ranked, len(triples))
	for i, t := range triples {
		tail, head := &tails[t.Relation], &heads[t.Relation]
		forTail, forHead := pair{t.Head, t.Relation}, pair{t.Tail, t.Relation}
		if _, there := knownTails[forTail]; !there {
			knownTails[forTail] = tail.among(known.Tails(t.Head, t.Relation))
		}
		if _, there := knownHeads[forHead]; !there {
			knownHeads[forHead] = head.among(known.Heads(t.Relation, t.Tail))
		}
		ranks[i] = eval.Ranked{
			Tail: tail.rank(t.Tail, knownTails[forTail], len(g.Entities)),
			Head: head.rank(t.Head, knownHeads[forHead], len(g.Entities)),
		}
	}
	return ranks
}

// pair is the entity and the relation of a query.
type pair struct{ entity, relation int32 }

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

// knownCounts holds the known answers of a query and their counts, both ascending.
type knownCounts struct{ answers, counts []int32 }

// among returns the counts of known answers.
func (c *answerCounts) among(known []int32) knownCounts {
	k := knownCounts{answers: known, counts: make([]int32, len(known))}
	for i, answer := range known {
		k.counts[i] = c.of[answer]
	}
	slices.Sort(k.counts)
	return k
}

// rank returns the rank of an entity among all entities without the other known answers.
func (c *answerCounts) rank(entity int32, known knownCounts, entities int) (r eval.Rank) {
	n := c.of[entity]
	equal, better := equalAndMore(c.sorted, n)
	if n == 0 {
		equal = entities - len(c.sorted)
	}
	knownEqual, knownBetter := equalAndMore(known.counts, n)
	if _, isKnown := slices.BinarySearch(known.answers, entity); !isKnown {
		knownEqual++ // the entity itself does not count either
	}
	return eval.Rank{Better: int32(better - knownBetter), Equal: int32(equal - knownEqual)}
}

// equalAndMore returns how many of ascending counts are equal to n, and how many are more.
func equalAndMore(counts []int32, n int32) (equal, more int) {
	from, _ := slices.BinarySearch(counts, n)
	to, _ := slices.BinarySearch(counts, n+1)
	return to - from, len(counts) - to
}
