package datasets

import (
	"cmp"
	"math"
	"slices"
)

// RelatedRelations are two relations whose facts mostly imply each other. They are equal for a
// symmetric relation.
type RelatedRelations struct {
	// Relation has at most as many facts as Partner.
	Relation, Partner int32
	// Mirrored is true if one relation has the facts of the other with head and tail exchanged,
	// and false if it repeats them.
	Mirrored bool
	// Shared counts the distinct facts of Relation that Partner has too, or has mirrored.
	Shared int
	// Share is their share of the distinct facts of Relation, above one half.
	Share float64
}

// Kind returns "symmetric", "inverse" or "duplicate".
func (r RelatedRelations) Kind() string {
	switch {
	case !r.Mirrored:
		return "duplicate"
	case r.Relation == r.Partner:
		return "symmetric"
	}
	return "inverse"
}

func (r RelatedRelations) key() relatedKey {
	return relatedKey{min(r.Relation, r.Partner), max(r.Relation, r.Partner), r.Mirrored}
}

// Related returns the pairs of relations that share more than half of the facts of the smaller
// one, repeated or mirrored. It counts the distinct facts of all splits. The facts of dense
// relations coincide by chance, so a pair must share more than chance explains. The pairs with
// the most facts come first.
func Related(g *Graph) []RelatedRelations { return g.implied().Related }

// relatedKey identifies a pair of relations, the smaller id first.
type relatedKey struct {
	first, second int32
	mirrored      bool
}

func keyOf(a, b pairFact) relatedKey {
	return relatedKey{
		min(a.relation(), b.relation()), max(a.relation(), b.relation()), (a.key^b.key)&1 == 1,
	}
}

// relatedIn returns the related relations of triples, which facts sorts.
func relatedIn(triples triplesIn, facts []pairFact, entities, relations int) []RelatedRelations {
	sizes, shared := sharedFacts(facts, triples.count(), relations)
	var related []RelatedRelations
	for key, count := range shared {
		small, large := key.first, key.second
		if sizes[large] < sizes[small] {
			small, large = large, small
		}
		if 2*count > sizes[small] {
			share := float64(count) / float64(sizes[small])
			related = append(related, RelatedRelations{small, large, key.mirrored, count, share})
		}
	}
	if len(related) > 0 {
		density := densities(triples, sizes, entities)
		related = slices.DeleteFunc(related, func(r RelatedRelations) bool {
			return r.isChance(density[r.Partner])
		})
	}
	slices.SortFunc(related, func(a, b RelatedRelations) int {
		return cmp.Or(cmp.Compare(b.Shared, a.Shared), cmp.Compare(a.Relation, b.Relation),
			cmp.Compare(a.Partner, b.Partner), cmp.Compare(a.Kind(), b.Kind()))
	})
	return related
}

// sharedFacts counts the distinct facts of each relation among the first triples, and those that two
// relations share. The mirror image of a fact whose head is its tail is the fact itself.
func sharedFacts(
	facts []pairFact, triples, relations int,
) (sizes []int, shared map[relatedKey]int) {
	sizes, shared = make([]int, relations), map[relatedKey]int{}
	eachDistinctPair(facts, triples, func(about []pairFact) {
		for _, f := range about {
			sizes[f.relation()]++
			if f.isLoop() {
				shared[relatedKey{f.relation(), f.relation(), true}]++
			}
		}
		about = about[:min(len(about), maxAbout)]
		for i, a := range about {
			for _, b := range about[i+1:] {
				key := keyOf(a, b)
				shared[key]++
				if key.first == key.second || a.isLoop() {
					key.mirrored = true
					shared[key]++
				}
			}
		}
	})
	return sizes, shared
}

// isChance reports whether the pair may share its facts by chance, as the partner contains a
// random pair of its heads and tails with the given probability. Not chance are four standard
// deviations above the expected number, and for different relations also twice that number.
func (r RelatedRelations) isChance(probability float64) bool {
	facts := float64(r.Shared) / r.Share
	expected, shared := facts*probability, float64(r.Shared)
	return shared <= expected+4*math.Sqrt(expected*(1-probability)) ||
		r.Relation != r.Partner && shared < 2*expected
}

// densities returns the share of the pairs of a head and a tail of each relation that are its
// facts.
func densities(triples triplesIn, facts []int, entities int) []float64 {
	heads, tails := make([]int32, entities), make([]int32, entities) // the last relation + 1
	density := make([]float64, len(facts))
	ends := NewEnds(len(facts), triples...)
	for relation := range int32(len(facts)) {
		headCount, tailCount := 0, 0
		for t := range ends.Facts(relation) {
			if heads[t.Head] <= relation {
				heads[t.Head] = relation + 1
				headCount++
			}
			if tails[t.Tail] <= relation {
				tails[t.Tail] = relation + 1
				tailCount++
			}
		}
		if headCount > 0 {
			density[relation] = float64(facts[relation]) / float64(headCount) / float64(tailCount)
		}
	}
	return density
}

func keysOf(related []RelatedRelations) map[relatedKey]bool {
	keys := make(map[relatedKey]bool, len(related))
	for _, r := range related {
		keys[r.key()] = true
	}
	return keys
}
