package datasets

import (
	"cmp"
	"slices"
)

// Pattern is the kind of a relation in the sense of Appendix B of the paper.
type Pattern int

const (
	// General is a relation that is neither of the others.
	General Pattern = iota
	// Symmetric is a relation that mostly holds in both directions.
	Symmetric
	// AntiSymmetric is a relation that never holds in both directions, although
	// its heads and tails are of one kind.
	AntiSymmetric
)

// String returns "symmetric", "anti-symmetric" or "general".
func (p Pattern) String() string {
	switch p {
	case Symmetric:
		return "symmetric"
	case AntiSymmetric:
		return "anti-symmetric"
	default:
		return "general"
	}
}

// RelationPattern describes one relation by its training triples.
type RelationPattern struct {
	Pattern Pattern
	// Inverse says that a general relation is the reverse of another one.
	Inverse bool
}

// Patterns returns the pattern of each relation, by relation id, as the distinct
// training pairs (head, tail) of the relation r tell it:
//
//   - symmetric: more than half of them occur reversed in r;
//   - anti-symmetric: none does, and some entity is both a head and a tail of r;
//   - general: the rest;
//   - inverse: a general relation for which some other relation has more than
//     half of its own pairs reversed in r.
//
// The rules printed in Appendix B do not give the table printed there; these
// do. A relation without training triples is general.
func Patterns(g *Graph) []RelationPattern {
	pairs := make([]int, len(g.Relations))    // distinct pairs of each relation
	reversed := make([]int, len(g.Relations)) // of these, how many are reversed in the same relation
	inBoth := make([]bool, len(g.Relations))  // some entity is head and tail
	// reversedIn counts the pairs of the first relation that are reversed in the
	// second. Only pairs of relations that share an entity pair ever appear.
	reversedIn := make(map[[2]int32]int)

	byPair := pairsOf(g.Train)
	for start := 0; start < len(byPair); {
		head, tail := byPair[start].head, byPair[start].tail
		end := start
		for end < len(byPair) && byPair[end].head == head && byPair[end].tail == tail {
			end++
		}
		opposite := relationsOf(byPair, tail, head)
		for _, here := range byPair[start:end] {
			pairs[here.relation]++
			for _, there := range opposite {
				if here.relation == there.relation {
					reversed[here.relation]++
				} else {
					reversedIn[[2]int32{here.relation, there.relation}]++
				}
			}
		}
		start = end
	}
	markHeadsThatAreTails(g, inBoth)

	patterns := make([]RelationPattern, len(g.Relations))
	for r := range patterns {
		switch {
		case 2*reversed[r] > pairs[r]:
			patterns[r].Pattern = Symmetric
		case reversed[r] == 0 && inBoth[r]:
			patterns[r].Pattern = AntiSymmetric
		}
	}
	for relations, count := range reversedIn {
		other, r := relations[0], relations[1]
		if patterns[r].Pattern == General && 2*count > pairs[other] {
			patterns[r].Inverse = true
		}
	}
	return patterns
}

// entityPair is a training triple in the order of sorting: entities, then relation.
type entityPair struct{ head, tail, relation int32 }

func (p entityPair) compare(q entityPair) int {
	return cmp.Or(
		cmp.Compare(p.head, q.head),
		cmp.Compare(p.tail, q.tail),
		cmp.Compare(p.relation, q.relation))
}

// pairsOf returns the distinct triples sorted by head, tail and relation.
func pairsOf(triples []Triple) []entityPair {
	pairs := make([]entityPair, len(triples))
	for i, t := range triples {
		pairs[i] = entityPair{t.Head, t.Tail, t.Relation}
	}
	slices.SortFunc(pairs, entityPair.compare)
	return slices.Compact(pairs)
}

// relationsOf returns the part of sorted pairs that goes from head to tail.
func relationsOf(sorted []entityPair, head, tail int32) []entityPair {
	compare := func(p entityPair, q [2]int32) int {
		return cmp.Or(cmp.Compare(p.head, q[0]), cmp.Compare(p.tail, q[1]))
	}
	start, found := slices.BinarySearchFunc(sorted, [2]int32{head, tail}, compare)
	if !found {
		return nil
	}
	end := start
	for end < len(sorted) && sorted[end].head == head && sorted[end].tail == tail {
		end++
	}
	return sorted[start:end]
}

// markHeadsThatAreTails sets by relation whether some entity is both a head and
// a tail of it in train.
func markHeadsThatAreTails(g *Graph, inBoth []bool) {
	heads := make(map[[2]int32]struct{})
	for _, t := range g.Train {
		heads[[2]int32{t.Relation, t.Head}] = struct{}{}
	}
	for _, t := range g.Train {
		if _, isHead := heads[[2]int32{t.Relation, t.Tail}]; isHead {
			inBoth[t.Relation] = true
		}
	}
}
