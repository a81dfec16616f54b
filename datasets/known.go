package datasets

import (
	"slices"
	"sync"
)

// Known answers "which tails does (head, relation) have" and "which heads does
// (relation, tail) have" over a set of triples. A triple that occurs several
// times counts once. It takes 8 bytes per triple and 8 per entity for each direction.
type Known struct {
	tails, heads answers
}

// Tails returns the distinct tails of (head, relation) in ascending order, nil
// when there are none. The slice belongs to the index: do not change it.
func (k *Known) Tails(head, relation int32) []int32 { return k.tails.of(head, relation) }

// Heads returns the distinct heads of (relation, tail) in ascending order, nil
// when there are none. The slice belongs to the index: do not change it.
func (k *Known) Heads(relation, tail int32) []int32 { return k.heads.of(tail, relation) }

func newKnown(splits ...[]Triple) *Known {
	all, entities := slices.Concat(splits...), 0
	for _, t := range all {
		entities = max(entities, 1+int(t.Head), 1+int(t.Tail))
	}
	var k Known
	var both sync.WaitGroup
	both.Go(func() {
		k.tails = newAnswers(len(all), entities, func(i int) (int32, uint64) {
			return all[i].Head, pairKey(all[i].Relation, all[i].Tail)
		})
	})
	both.Go(func() {
		k.heads = newAnswers(len(all), entities, func(i int) (int32, uint64) {
			return all[i].Tail, pairKey(all[i].Relation, all[i].Head)
		})
	})
	both.Wait()
	return &k
}

// answers holds the relations and the answers of each entity, sorted by both.
type answers struct {
	starts             []int // by entity, and the end of the last
	relations, answers []int32
}

// newAnswers sorts n triples. triple returns an entity, and the pairKey of its relation and answer.
func newAnswers(n, entities int, triple func(i int) (entity int32, pair uint64)) answers {
	pairs, starts := groupBy(n, entities, triple)
	eachBucket(pairs, starts, func(ofEntity []uint64) { slices.Sort(ofEntity) })
	a := answers{starts, make([]int32, 0, n), make([]int32, 0, n)}
	for entity := range entities {
		ofEntity := slices.Compact(pairs[starts[entity]:starts[entity+1]])
		starts[entity] = len(a.answers)
		for _, pair := range ofEntity {
			a.relations = append(a.relations, int32(pair>>32))
			a.answers = append(a.answers, int32(uint32(pair)))
		}
	}
	starts[entities] = len(a.answers)
	return a
}

func (a *answers) of(entity, relation int32) []int32 {
	if entity < 0 || int(entity) >= len(a.starts)-1 {
		return nil
	}
	start, end := a.starts[entity], a.starts[entity+1]
	from, found := slices.BinarySearch(a.relations[start:end], relation)
	if !found {
		return nil
	}
	start += from
	n, _ := slices.BinarySearch(a.relations[start:end], relation+1)
	return a.answers[start : start+n : start+n]
}

func pairKey(first, second int32) uint64 {
	return uint64(uint32(first))<<32 | uint64(uint32(second))
}
