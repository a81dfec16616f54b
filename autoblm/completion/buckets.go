package completion

import (
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

// buckets divides entities into ranges of about equal size.
type buckets struct{ count, entities int }

func (b buckets) of(entity int32) int { return int(entity) * b.count / b.entities }

// start returns the first entity of a bucket.
func (b buckets) start(bucket int) int { return (bucket*b.entities + b.count - 1) / b.count }

// spans returns the entities of some buckets, ascending.
func (b buckets) spans(some []int) (spans []kge.Span) {
	for _, bucket := range slices.Sorted(slices.Values(some)) {
		spans = append(spans, kge.Span{Start: b.start(bucket), End: b.start(bucket + 1)})
	}
	return spans
}

// visits returns the buckets that are in memory one after the other, so that each two meet. All but
// one stay while the others pass by, and then make room (Mohoney et al., 2021, Section 4.1).
func visits(count, loaded int, rng *rand.Rand) (all [][]int) {
	rest := rng.Perm(count)
	n := min(loaded, count)
	inMemory, rest := rest[:n:n], rest[n:]
	for {
		all = append(all, slices.Clone(inMemory))
		if len(rest) == 0 {
			return all
		}
		last := len(inMemory) - 1
		for i := range rest {
			inMemory[last], rest[i] = rest[i], inMemory[last]
			all = append(all, slices.Clone(inMemory))
		}
		rest = rest[copy(inMemory[:last], rest):]
	}
}

// firstVisits returns the first visit that has both of two buckets.
func firstVisits(count int, all [][]int) [][]int {
	first := make([][]int, count)
	for i := range first {
		first[i] = slices.Repeat([]int{-1}, count)
	}
	for visit, inMemory := range all {
		for _, a := range inMemory {
			for _, b := range inMemory {
				if first[a][b] < 0 {
					first[a][b] = visit
				}
			}
		}
	}
	return first
}

// visitBatches returns the batches of the triples with the indices in a random order, grouped by the
// buckets of their heads and tails; see [kge.Settings.Buckets].
func visitBatches(
	g *datasets.Graph, order []int32, s kge.Settings, rng *rand.Rand,
) kge.Batches {
	b := buckets{s.Buckets, len(g.Entities)}
	all := visits(b.count, kge.LoadedBuckets, rng)
	first := firstVisits(b.count, all)
	visitOf := func(index int32) int {
		t := g.Train[index]
		return first[b.of(t.Head)][b.of(t.Tail)]
	}
	counts, byVisit := make([]int, len(all)), make([][]int32, len(all))
	for _, index := range order {
		counts[visitOf(index)]++
	}
	for visit, n := range counts {
		byVisit[visit] = make([]int32, 0, n)
	}
	for _, index := range order {
		visit := visitOf(index)
		byVisit[visit] = append(byVisit[visit], index)
	}
	type batch struct {
		indices []int32 // of triples
		loaded  []kge.Span
	}
	var batches []batch
	for visit, indices := range byVisit {
		spans := b.spans(all[visit])
		for part := range slices.Chunk(indices, s.Batch) {
			batches = append(batches, batch{part, spans})
		}
	}
	if s.MaxSteps > 0 {
		batches = batches[:min(s.MaxSteps, len(batches))]
	}
	set := examplesOf(g.Train)
	return kge.Batches{
		Count: len(batches),
		Make: func(i int, memory []kge.Example) []kge.Example {
			return fill(memory, batches[i].indices, set)
		},
		Loaded: func(i int) []kge.Span { return batches[i].loaded },
	}
}
