package completion

import (
	"context"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
)

// Popularity ranks triples by how often an answer occurs in train with the relation of the query,
// whatever the other entity is. A model that ranks worse has learned nothing about the entities.
// Known answers do not count, as in [RankSplit]. It returns the error of ctx once that has ended.
func Popularity(
	ctx context.Context, g *datasets.Graph, triples []datasets.Triple,
) ([]eval.Ranked, error) {
	facts := datasets.NewEnds(len(g.Relations), g.Train)
	known := g.KnownOf(triples)
	byRelation := map[int32][]int{} // indices of triples
	for i, t := range triples {
		byRelation[t.Relation] = append(byRelation[t.Relation], i)
	}
	heads, tails := newAnswerCounts(len(g.Entities)), newAnswerCounts(len(g.Entities))
	ranks := make([]eval.Ranked, len(triples))
	for relation, indices := range byRelation {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		heads.reset()
		tails.reset()
		for t := range facts.Facts(relation) {
			heads.add(t.Head)
			tails.add(t.Tail)
		}
		heads.sort()
		tails.sort()
		// Queries with many known answers are frequent, so their counts are kept.
		knownTails, knownHeads := map[int32]knownCounts{}, map[int32]knownCounts{}
		for _, i := range indices {
			t := triples[i]
			if _, there := knownTails[t.Head]; !there {
				knownTails[t.Head] = tails.among(known.Tails(t.Head, relation))
			}
			if _, there := knownHeads[t.Tail]; !there {
				knownHeads[t.Tail] = heads.among(known.Heads(relation, t.Tail))
			}
			ranks[i] = eval.Ranked{
				Tail: tails.rank(t.Tail, knownTails[t.Head], len(g.Entities)),
				Head: heads.rank(t.Head, knownHeads[t.Tail], len(g.Entities)),
			}
		}
	}
	return ranks, nil
}

// answerCounts counts the answers of a relation.
type answerCounts struct {
	of      []int32 // by entity
	counted []int32 // entities that occur
	sorted  []int32 // their counts, ascending
}

func newAnswerCounts(entities int) *answerCounts {
	return &answerCounts{of: make([]int32, entities)}
}

// reset removes all answers.
func (c *answerCounts) reset() {
	for _, entity := range c.counted {
		c.of[entity] = 0
	}
	c.counted, c.sorted = c.counted[:0], c.sorted[:0]
}

func (c *answerCounts) add(entity int32) {
	if c.of[entity] == 0 {
		c.counted = append(c.counted, entity)
	}
	c.of[entity]++
}

func (c *answerCounts) sort() {
	for _, entity := range c.counted {
		c.sorted = append(c.sorted, c.of[entity])
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
