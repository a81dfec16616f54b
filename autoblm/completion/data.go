package completion

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/ctxutil"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// Data prepares a graph for training. Each triple is a path of one hop that is learned in both
// directions. The validation score is the filtered MRR, with ties counted against the model. It panics
// if there are weights of other triples; see [datasets.Graph.Validate].
func Data(g *datasets.Graph) *kge.Data {
	if g.Weights != nil && len(g.Weights) != len(g.Train) {
		panic(fmt.Sprintf("completion: graph %s has %d weights for %d training triples",
			g.Name, len(g.Weights), len(g.Train)))
	}
	d := &kge.Data{
		Name: g.Name, Source: cmp.Or(g.Folder, g.Name), Entities: g.Entities, Relations: g.Relations,
		BothDirections: true, Count: len(g.Train), Fingerprint: sync.OnceValue(g.Fingerprint),
		Weighted: g.Weights != nil,
		Triples:  func() []datasets.Triple { return g.Train },
	}
	weights := sync.OnceValue(func() map[datasets.Triple]float32 { return factWeights(g) })
	known := sync.OnceValue((&datasets.Graph{Train: g.Train}).Known)
	d.Answers = func(anchor, relation int32) []int32 {
		if relation%2 == 1 {
			return known().Heads(relation/2, anchor)
		}
		return known().Tails(anchor, relation/2)
	}
	d.Occurrences = func() kge.Occurrences { return occurrences(g) }
	walker := sync.OnceValue(func() walker { return newWalker(g) })
	queries := sync.OnceValue(func() []trainingQuery { return trainingQueries(g.Train) })
	d.Batches = func(s kge.Settings, epoch int) kge.Batches {
		rng := rand.New(rand.NewPCG(s.DataSeed, uint64(epoch)))
		var all kge.Batches
		switch {
		case s.WalkHops > 0:
			all = walker().batches(g, s, epoch, rng)
		case s.Loss == kge.BCE:
			all = queryBatches(queries(), s, rng)
		case s.AnswersPerQuery > 0:
			all = groupedBatches(g, s, rng)
		default:
			all = shuffledBatches(g, s, rng)
		}
		if s.Frequency > 0 {
			all = weighed(all, byFrequency(occurrences(g).Entities, s.Frequency))
		}
		if s.Subsampling {
			all = weighed(all, byAnswers(d.Answers))
		}
		if g.Weights != nil {
			all = weighed(all, byFact(weights()))
		}
		return all
	}
	if len(g.Valid) > 0 {
		d.HeldOut = len(g.Valid)
		d.Validate = func(ctx context.Context, r kge.Ranker, most int) ([]kge.Validation, error) {
			ranks, err := rank(ctx, r, eval.Sample(g.Valid, most), g)
			all := make([]kge.Validation, len(ranks))
			for i := range ranks {
				e := SummarizeSample(ranks[i], len(g.Valid), eval.Pessimistic)
				all[i].MRR, all[i].Error = e.Both.MRR, e.MRRError
			}
			return all, err
		}
	}
	return d
}

// shuffledBatches returns the batches of an epoch with the triples in random order, each in both
// directions.
func shuffledBatches(g *datasets.Graph, s kge.Settings, rng *rand.Rand) kge.Batches {
	order := make([]int32, len(g.Train)) // indices of triples
	for i := range order {
		order[i] = int32(i)
	}
	shuffle(rng, order)
	order = firstSteps(order, s.Batch, s)
	if s.Buckets > 1 {
		return visitBatches(g, order, s, rng)
	}
	return inBatches(order, s.Batch, examplesOf(g.Train))
}

// firstSteps returns the examples of the first steps of a size, if their number is limited.
func firstSteps[T any](order []T, size int, s kge.Settings) []T {
	if s.MaxSteps > 0 && s.MaxSteps <= (len(order)-1)/size { // without overflow below
		return order[:s.MaxSteps*size]
	}
	return order
}

// inBatches returns batches of a size. set sets examples that have memory for a path and a target.
func inBatches[T any](
	order []T, size int, set func(examples []kge.Example, from []T),
) kge.Batches {
	count := (len(order) + size - 1) / size
	return kge.Batches{Count: count, Make: func(i int, memory []kge.Example) []kge.Example {
		return fill(memory, order[i*size:i*size+min(size, len(order)-i*size)], set)
	}}
}

// fill returns a batch, in the memory of an earlier one if it is large enough.
func fill[T any](
	memory []kge.Example, from []T, set func(examples []kge.Example, from []T),
) []kge.Example {
	if cap(memory) < len(from) {
		memory = newExamples(len(from))
	}
	set(memory[:len(from)], from)
	return memory[:len(from)]
}

// weighed returns batches with weights that a function sets.
func weighed(b kge.Batches, weigh func(batch []kge.Example)) kge.Batches {
	made := b.Make
	b.Make = func(i int, memory []kge.Example) []kge.Example {
		batch := made(i, memory)
		weigh(batch)
		return batch
	}
	return b
}

// occurrences counts the training triples of each entity, as head and as tail, and of each
// relation.
func occurrences(g *datasets.Graph) kge.Occurrences {
	n := kge.Occurrences{
		Entities: make([]float64, len(g.Entities)), Relations: make([]float64, len(g.Relations)),
	}
	for _, t := range g.Train {
		n.Entities[t.Head]++
		n.Entities[t.Tail]++
		n.Relations[t.Relation]++
	}
	return n
}

// byFrequency returns a function that sets the weights of answers; see [kge.Settings.Frequency].
func byFrequency(occurrences []float64, frequency float64) func(batch []kge.Example) {
	share, highest := float32(frequency), float32(slices.Max(occurrences))
	weight := func(entity int32) float32 {
		return 1 - share + share*float32(occurrences[entity])/highest
	}
	return func(batch []kge.Example) {
		sum, total := float32(0), float32(0)
		for i := range batch {
			x := &batch[i]
			total += x.Weight + x.BackWeight
			x.Weight, x.BackWeight = x.Weight*weight(x.Target), x.BackWeight*weight(x.Anchor)
			sum += x.Weight + x.BackWeight
		}
		mean := sum / total
		for i := range batch {
			batch[i].Weight /= mean
			batch[i].BackWeight /= mean
		}
	}
}

// byAnswers returns a function that sets the weights of triples; see [kge.SelfAdversarial].
func byAnswers(answers func(anchor, relation int32) []int32) func(batch []kge.Example) {
	const unseen = 6 // as if both queries had three more answers
	return func(batch []kge.Example) {
		weights, sum := make([]float32, len(batch)), float32(0)
		for i, x := range batch {
			n := len(answers(x.Anchor, x.Path[0])) + len(answers(x.Target, x.Path[0]^1))
			weights[i] = float32(1 / math.Sqrt(float64(n+unseen)))
			sum += weights[i]
		}
		for i := range batch {
			weight := weights[i] * float32(len(batch)) / sum
			batch[i].Weight *= weight
			batch[i].BackWeight *= weight
		}
	}
}

// rank ranks triples of a graph. Its known triples do not count in the ranks.
func rank(
	ctx context.Context, r kge.Ranker, triples []datasets.Triple, g *datasets.Graph,
) ([][]eval.Ranked, error) {
	known, err := ctxutil.Call(ctx, func() (*datasets.Known, error) { return g.KnownOf(triples), nil })
	if err != nil {
		return nil, err
	}
	return r.Rank(ctx, triples, known)
}

// Examples returns triples as examples.
func Examples(triples []datasets.Triple) []kge.Example {
	examples := newExamples(len(triples))
	for i, t := range triples {
		setTriple(&examples[i], t)
	}
	return examples
}

// newExamples returns examples with memory for a path of one hop and one target.
func newExamples(n int) []kge.Example {
	ids := make([]int32, 2*n)
	examples := make([]kge.Example, n)
	for i := range examples {
		examples[i].Path, examples[i].Targets = ids[2*i:2*i+1:2*i+1], ids[2*i+1:2*i+2:2*i+2]
	}
	return examples
}

// examplesOf returns a function that sets examples to the triples with some indices.
func examplesOf(triples []datasets.Triple) func(examples []kge.Example, indices []int32) {
	return func(examples []kge.Example, indices []int32) {
		for i, index := range indices {
			setTriple(&examples[i], triples[index])
		}
	}
}

// setTriple sets an example to a triple, which is learned in both directions.
func setTriple(x *kge.Example, t datasets.Triple) {
	setExample(x, t.Head, 2*t.Relation, t.Tail)
	x.BackWeight = 1
}

// setExample sets an example with weight 1.
func setExample(x *kge.Example, anchor, relation, target int32) {
	x.Anchor, x.Path[0] = anchor, relation
	x.Target, x.Targets[0] = target, target
	x.Weight, x.BackWeight, x.FactWeight = 1, 0, 1
}

// Align returns g with the ids of a model, for ranking. All entities of the model are candidates. A
// label that the model lacks is an error.
func Align(m *kge.Model, g *datasets.Graph) (*datasets.Graph, error) {
	aligned, _, err := align(m, g)
	if err != nil {
		return nil, err
	}
	return aligned, nil
}

// Unknown counts the triples with labels that a model lacks, by split.
type Unknown struct {
	Train int `json:"train"`
	Valid int `json:"valid"`
	Test  int `json:"test"`
	// Missing names the first such label.
	Missing error `json:"-"`
}

// Of returns the number of a split.
func (u Unknown) Of(split string) int {
	return map[string]int{"train": u.Train, "valid": u.Valid, "test": u.Test}[split]
}

// AlignKnown works like [Align], but leaves out the triples with labels that the model lacks. A graph
// without any other triples is an error.
func AlignKnown(m *kge.Model, g *datasets.Graph) (*datasets.Graph, Unknown, error) {
	aligned, unknown, err := align(m, g)
	if err == nil || aligned != nil && len(aligned.Train)+len(aligned.Valid)+len(aligned.Test) > 0 {
		unknown.Missing = err
		return aligned, unknown, nil
	}
	return nil, unknown, err
}

// align returns the triples whose labels the model has, and an error with the first label that it
// lacks, or nil. It returns no graph if a triple has an id without a label.
func align(m *kge.Model, g *datasets.Graph) (*datasets.Graph, Unknown, error) {
	var unknown Unknown
	if err := g.ValidateIDs(); err != nil {
		return nil, unknown, err
	}
	if m.HasIDs(g.Entities, g.Relations) {
		return g, unknown, nil
	}
	ids := labels.NewTranslation(g.Name, g.Entities, g.Relations, m.EntityLabels, m.RelationLabels)
	aligned := &datasets.Graph{Name: g.Name, Entities: m.EntityLabels, Relations: m.RelationLabels}
	for _, split := range []struct {
		from    []datasets.Triple
		to      *[]datasets.Triple
		unknown *int
	}{
		{g.Train, &aligned.Train, &unknown.Train}, {g.Valid, &aligned.Valid, &unknown.Valid},
		{g.Test, &aligned.Test, &unknown.Test},
	} {
		for _, t := range split.from {
			triple := datasets.Triple{
				Head: ids.Entity(t.Head), Relation: ids.Relation(t.Relation), Tail: ids.Entity(t.Tail),
			}
			if min(triple.Head, triple.Relation, triple.Tail) < 0 {
				*split.unknown++
			} else {
				*split.to = append(*split.to, triple)
			}
		}
	}
	missing := ids.Missing()
	aligned.Types = g.Types.Renumber(len(aligned.Entities), ids.Entity)
	return aligned, unknown, missing
}
