package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// Training are the training queries of some lengths as data to train on. Each epoch
// draws one of the answers of each as its target. The validation queries, where there
// are some, decide by their MRR. It is an error if there are no queries of a length to
// train on.
func (d *Data) Training(p Paths) (*kge.Data, error) {
	data := &kge.Data{
		Name: d.Name, Source: cmp.Or(d.Folder, d.Name), Entities: d.Entities, Relations: d.Relations,
		Fingerprint: func() string { return d.Fingerprint(p.Trained()...) }, Own: p,
		Batches: func(s kge.Settings, epoch int) [][]kge.Example { return d.batches(s, p, epoch) },
	}
	for _, hops := range p.Trained() {
		if err := d.Needs(InTrain, hops); err != nil {
			return nil, err
		}
		data.Count += len(d.Queries(InTrain, hops))
	}
	if slices.ContainsFunc(p.Hops, func(hops int) bool { return d.Needs(InValid, hops) != nil }) {
		return data, nil
	}
	data.Validate = func(ctx context.Context, r kge.Ranker) ([]float64, error) {
		queries := d.together(InValid, p.Hops)
		scores := make([]float64, r.Models())
		for i := range scores {
			e, err := Evaluate(ctx, r, i, queries)
			if err != nil {
				return nil, err
			}
			scores[i] = e.MRR
		}
		return scores, nil
	}
	return data, nil
}

// ErrNoQueries says that a split has no queries of a length.
var ErrNoQueries = errors.New("draw some first")

// Needs says so if a split has no queries of a length.
func (d *Data) Needs(split Split, hops int) error {
	if d.Queries(split, hops) == nil {
		return fmt.Errorf("%s has no %v queries of %d hops: %w", d.Name, split, hops, ErrNoQueries)
	}
	return nil
}

// together are the queries of a split of several lengths.
func (d *Data) together(split Split, hops []int) (all []Query) {
	for _, h := range hops {
		all = append(all, d.Queries(split, h)...)
	}
	return all
}

// batches are the training queries in the order of the given epoch, each with one
// of its answers, cut to the steps that the settings allow. The paths of a batch
// have one length; batches of different lengths are shuffled.
func (d *Data) batches(s kge.Settings, p Paths, epoch int) (all [][]kge.Example) {
	rng := rand.New(rand.NewPCG(s.DataSeed, uint64(epoch)))
	for _, hops := range p.Trained() {
		queries := d.Queries(InTrain, hops)
		order := make([]kge.Example, len(queries))
		for i, place := range rng.Perm(len(queries)) {
			q := &queries[place]
			order[i] = kge.Example{
				Question: q.Question(), Target: q.Hard[rng.IntN(len(q.Hard))], Targets: q.Hard,
				Weight: float32(math.Pow(float64(len(q.Hard)), p.AnswerPower)),
			}
		}
		all = slices.AppendSeq(all, slices.Chunk(order, s.Batch))
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if s.MaxSteps > 0 {
		all = all[:min(s.MaxSteps, len(all))]
	}
	return all
}
