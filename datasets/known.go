package datasets

import (
	"slices"
	"sync"
	"unsafe"
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

// newKnown returns the index of the answers to the queries for tails and for heads of triples.
func newKnown(forTails, forHeads triplesIn) *Known {
	var k Known
	var both sync.WaitGroup
	both.Go(func() {
		k.tails = newAnswers(forTails, func(t Triple) (int32, uint64) {
			return t.Head, pairKey(t.Relation, t.Tail)
		})
	})
	both.Go(func() {
		k.heads = newAnswers(forHeads, func(t Triple) (int32, uint64) {
			return t.Tail, pairKey(t.Relation, t.Head)
		})
	})
	both.Wait()
	return &k
}

// triplesIn are the triples of several splits.
type triplesIn [][]Triple

func (in triplesIn) count() (n int) {
	for _, split := range in {
		n += len(split)
	}
	return n
}

func (in triplesIn) at(i int) Triple {
	split := 0
	for ; i >= len(in[split]); split++ {
		i -= len(in[split])
	}
	return in[split][i]
}

// answers holds the relations and the answers of each entity, sorted by both.
type answers struct {
	starts []int // number of facts before each entity, and of all
	// numbers has the relations of an entity's facts, and then their answers.
	numbers []int32
}

// newAnswers sorts triples. of returns an entity, and the pairKey of its relation and answer.
func newAnswers(in triplesIn, of func(t Triple) (entity int32, pair uint64)) answers {
	entities := 0
	for _, split := range in {
		for _, t := range split {
			entity, _ := of(t)
			entities = max(entities, 1+int(entity))
		}
	}
	pairs, starts := groupBy(in.count(), entities, func(i int) (int32, uint64) { return of(in.at(i)) })
	eachBucket(pairs, starts, func(ofEntity []uint64) { slices.Sort(ofEntity) })
	// The numbers take the memory of the pairs, which are many, and never more than was read.
	numbers := unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(pairs))), 2*len(pairs))
	var ofEntity []uint64
	n := 0
	for entity := range entities {
		ofEntity = append(ofEntity[:0], slices.Compact(pairs[starts[entity]:starts[entity+1]])...)
		starts[entity] = n
		relations := numbers[2*n:][:2*len(ofEntity)]
		answers := relations[len(ofEntity):]
		for i, pair := range ofEntity {
			relations[i], answers[i] = int32(pair>>32), int32(uint32(pair))
		}
		n += len(ofEntity)
	}
	starts[entities] = n
	return answers{starts, numbers[:2*n]}
}

func (a *answers) of(entity, relation int32) []int32 {
	if entity < 0 || int(entity) >= len(a.starts)-1 {
		return nil
	}
	start, end := a.starts[entity], a.starts[entity+1]
	relations, answers := a.numbers[2*start:start+end], a.numbers[start+end:2*end]
	from, found := slices.BinarySearch(relations, relation)
	if !found {
		return nil
	}
	n, _ := slices.BinarySearch(relations[from:], relation+1)
	return answers[from : from+n : from+n]
}

// Numbers of triples from which an index of some queries pays: of the graph, and for one of a sample.
var (
	manyKnown = 1 << 22
	manyPer   = 16
)

// KnownOf returns an index with the known answers to the queries of some triples. It may have others.
// For a small sample of a large graph it takes less memory and time than [Graph.Known].
func (g *Graph) KnownOf(sample []Triple) *Known {
	in := g.splits()
	n := triplesIn(in[:]).count()
	if g.known.has(g) || n < manyKnown || n < manyPer*len(sample) {
		return g.Known()
	}
	return knownOf(sample, len(g.Entities), in[:])
}

// knownOf returns the index of the known answers to the queries of a sample, without others.
func knownOf(sample []Triple, entities int, in triplesIn) *Known {
	forTails, forHeads := newAsked(entities), newAsked(entities)
	for _, t := range sample {
		forTails.add(t.Head, t.Relation)
		forHeads.add(t.Tail, t.Relation)
	}
	var tails, heads []Triple
	for _, split := range in {
		for _, t := range split {
			if forTails.has(t.Head, t.Relation) {
				tails = append(tails, t)
			}
			if forHeads.has(t.Tail, t.Relation) {
				heads = append(heads, t)
			}
		}
	}
	return newKnown(triplesIn{tails}, triplesIn{heads})
}

// asked is a set of queries about entities and relations.
type asked struct {
	entities []bool // in a query; most are not, and a map takes longer
	queries  map[uint64]bool
}

func newAsked(entities int) asked { return asked{make([]bool, entities), map[uint64]bool{}} }

func (a asked) add(entity, relation int32) {
	a.entities[entity], a.queries[pairKey(entity, relation)] = true, true
}

func (a asked) has(entity, relation int32) bool {
	return a.entities[entity] && a.queries[pairKey(entity, relation)]
}

func pairKey(first, second int32) uint64 {
	return uint64(uint32(first))<<32 | uint64(uint32(second))
}
