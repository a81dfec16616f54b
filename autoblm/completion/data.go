package completion

import (
	"cmp"
	"context"
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
// directions. The validation score is the filtered MRR, with ties counted against the model.
func Data(g *datasets.Graph) *kge.Data {
	d := &kge.Data{
		Name: g.Name, Source: cmp.Or(g.Folder, g.Name), Entities: g.Entities, Relations: g.Relations,
		BothDirections: true, Count: len(g.Train), Fingerprint: g.Fingerprint,
	}
	weights := sync.OnceValue(func() map[datasets.Triple]float32 { return factWeights(g) })
	d.Occurrences = func() kge.Occurrences { return occurrences(g) }
	d.Batches = func(s kge.Settings, epoch int) [][]kge.Example {
		rng := rand.New(rand.NewPCG(s.DataSeed, uint64(epoch)))
		batches := shuffledBatches
		if s.AnswersPerQuery > 0 {
			batches = groupedBatches
		}
		all := batches(g.Train, s, rng)
		if s.Frequency > 0 {
			weighByFrequency(all, occurrences(g).Entities, s.Frequency)
		}
		if g.Weights != nil {
			weighByFact(all, weights())
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
func shuffledBatches(triples []datasets.Triple, s kge.Settings, rng *rand.Rand) [][]kge.Example {
	order := slices.Clone(triples)
	shuffle(rng, order)
	if s.MaxSteps > 0 && s.MaxSteps <= (len(order)-1)/s.Batch { // without overflow below
		order = order[:s.MaxSteps*s.Batch]
	}
	return slices.Collect(slices.Chunk(Examples(order), s.Batch))
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

// weighByFrequency sets the weights of answers; see [kge.Settings.Frequency].
func weighByFrequency(batches [][]kge.Example, occurrences []float64, frequency float64) {
	share, highest := float32(frequency), float32(slices.Max(occurrences))
	weight := func(entity int32) float32 {
		return 1 - share + share*float32(occurrences[entity])/highest
	}
	for _, batch := range batches {
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

// rank ranks triples of a graph. Its known triples do not count in the ranks.
func rank(
	ctx context.Context, r kge.Ranker, triples []datasets.Triple, g *datasets.Graph,
) ([][]eval.Ranked, error) {
	known, err := ctxutil.Call(ctx, func() (*datasets.Known, error) { return g.Known(), nil })
	if err != nil {
		return nil, err
	}
	return r.Rank(ctx, triples, known)
}

// Examples returns triples as examples.
func Examples(triples []datasets.Triple) []kge.Example {
	ids := make([]int32, 0, 2*len(triples)) // paths and targets of all examples
	examples := make([]kge.Example, len(triples))
	for i, t := range triples {
		ids = append(ids, 2*t.Relation, t.Tail)
		pair := ids[len(ids)-2:]
		examples[i] = kge.Example{
			Question: kge.Question{Anchor: t.Head, Path: pair[:1:1]},
			Target:   t.Tail, Targets: pair[1:2:2], Weight: 1, BackWeight: 1,
		}
	}
	return examples
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
	if err == nil || len(aligned.Train)+len(aligned.Valid)+len(aligned.Test) > 0 {
		unknown.Missing = err
		return aligned, unknown, nil
	}
	return nil, unknown, err
}

// align returns the triples whose labels the model has, and an error with the first label that it
// lacks, or nil.
func align(m *kge.Model, g *datasets.Graph) (*datasets.Graph, Unknown, error) {
	var unknown Unknown
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
