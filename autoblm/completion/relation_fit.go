package completion

import (
	"context"
	"math"
	"runtime"
	"slices"

	"github.com/autoblm/autoblm-go/datasets"
	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// weightFit learns weights by relation.
type weightFit struct {
	*rivals
	triples []datasets.Triple
	folds   int // triple i is in fold i mod folds
}

// shrinkages are the strengths to choose from for relations, strongest first. With the first, they
// have nearly the weights that all relations share.
var shrinkages = []float64{4096, 256, 64, 16, 4, 1, 1. / 4, 1. / 16, 1. / 64}

// sharedShrinkage is the strength for the weights that all relations share. They depend on many
// triples.
const sharedShrinkage = 1

// minWeighed is the smallest number of validation triples for which a relation has weights of its
// own.
const minWeighed = 10

// fitKey is a relation and the fold that a fit of its weights leaves out. No triple is in the fold
// with the number of folds.
type fitKey struct {
	relation int32
	fold     int
}

// allRelations is the relation of the weights that all relations share.
const allRelations = -1

// learn returns the weights with the best shrinkage by relation, and those of [allRelations]. heldOut
// is their cross-validated MRR.
func (f *weightFit) learn(ctx context.Context) (
	weights map[int32][]float64, shrinkage, heldOut float64, err error,
) {
	triples := map[int32][]int{}
	for i, t := range f.triples {
		triples[t.Relation] = append(triples[t.Relation], i)
		triples[allRelations] = append(triples[allRelations], i)
	}
	shared := map[fitKey][]float64{} // logarithms of weights
	for fold := range f.folds + 1 {
		shared[fitKey{allRelations, fold}] = make([]float64, f.models)
	}
	if err = f.fitAll(ctx, shared, shared, triples, sharedShrinkage); err != nil {
		return nil, 0, 0, err
	}
	fits := map[fitKey][]float64{}
	for relation, indices := range triples {
		for fold := range f.folds + 1 {
			if relation != allRelations && len(indices) >= minWeighed {
				fits[fitKey{relation, fold}] = slices.Clone(shared[fitKey{allRelations, fold}])
			}
		}
	}
	for _, strength := range shrinkages { // each starts from the fit of a stronger one
		if err = f.fitAll(ctx, fits, shared, triples, strength); err != nil {
			return nil, 0, 0, err
		}
		mrr := f.mrr(func(triple int) []float64 {
			fold := triple % f.folds
			logs := fits[fitKey{f.triples[triple].Relation, fold}]
			if logs == nil {
				logs = shared[fitKey{allRelations, fold}]
			}
			return normalized(logs)
		})
		if mrr <= heldOut {
			continue
		}
		shrinkage, heldOut = strength, mrr
		weights = map[int32][]float64{allRelations: normalized(shared[fitKey{allRelations, f.folds}])}
		for k, logs := range fits {
			if k.fold == f.folds {
				weights[k.relation] = normalized(logs)
			}
		}
	}
	return weights, shrinkage, heldOut, nil
}

// fitAll improves fits, which shrink to the fits that all relations share. These shrink to equal
// weights.
func (f *weightFit) fitAll(
	ctx context.Context, fits, shared map[fitKey][]float64, triples map[int32][]int,
	shrinkage float64,
) error {
	equal := make([]float64, f.models)
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for k, logs := range fits {
		workers.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			var slots []int
			for _, i := range triples[k.relation] {
				if i%f.folds != k.fold {
					slots = append(slots, 2*i, 2*i+1)
				}
			}
			center := equal
			if k.relation != allRelations {
				center = shared[fitKey{allRelations, k.fold}]
			}
			fitted, err := f.fit(ctx, logs, center, slots, shrinkage)
			copy(logs, fitted)
			return err
		})
	}
	return workers.Wait()
}

// mrr returns the MRR of all triples with weights of the models, which depend on the triple.
func (f *weightFit) mrr(weights func(triple int) []float64) float64 {
	sum := 0.0
	for i := range f.triples {
		w := weights(i)
		sum += f.reciprocalRank(2*i, w) + f.reciprocalRank(2*i+1, w)
	}
	return sum / float64(2*len(f.triples))
}

// fit returns the logarithms θ of the weights w = exp(θ)/models that minimize a smooth bound of the
// logarithms of ranks,
//
//	Σ over slots of log(1 + Σ over rivals of exp(w·d)) + shrinkage · Σ (δ - mean δ)²,
//
// where d are the differences of a rival and δ = θ - center. Only the ratios of weights matter for
// ranks, so only these are shrunk. The end of ctx is an error.
func (f *weightFit) fit(
	ctx context.Context, start, center []float64, slots []int, shrinkage float64,
) ([]float64, error) {
	weights := make([]float64, f.models)
	// evaluate returns the loss, and sets the gradient unless it is nil.
	evaluate := func(gradient, logs []float64) (loss float64) {
		for i, log := range logs {
			weights[i] = math.Exp(log) / float64(f.models)
		}
		if gradient != nil {
			clear(gradient)
		}
		for _, slot := range slots {
			loss += f.logRank(gradient, slot, weights)
		}
		mean := (floats.Sum(logs) - floats.Sum(center)) / float64(f.models)
		for i, log := range logs {
			excess := log - center[i] - mean
			loss += shrinkage * excess * excess
			if gradient != nil {
				gradient[i] = gradient[i]*weights[i] + 2*shrinkage*excess
			}
		}
		return loss
	}
	problem := optimize.Problem{
		Func: func(x []float64) float64 { return evaluate(nil, x) },
		Grad: func(gradient, x []float64) { evaluate(gradient, x) },
		// Status is called before each evaluation.
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, ctx.Err() },
	}
	settings := &optimize.Settings{GradientThreshold: 1e-3, MajorIterations: 50}
	// A line search that cannot improve the loss by rounding is an error with the best result.
	result, _ := optimize.Minimize(problem, start, settings, &optimize.BFGS{})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if result != nil {
		return result.X, nil
	}
	return start, nil
}

// logRank returns log(1 + Σ exp(w·d)) for a slot. It adds its gradient by the weights, unless that
// is nil.
func (f *weightFit) logRank(gradient []float64, slot int, weights []float64) float64 {
	highest, sum := 0.0, 1.0 // of the exponents; the true answer has 0
	for row := range slices.Chunk(f.bySlot[slot], f.models) {
		x := weighted(row, weights)
		if x > highest {
			sum *= math.Exp(highest - x)
			highest = x
		}
		sum += math.Exp(x - highest)
	}
	log := highest + math.Log(sum)
	if gradient != nil {
		for row := range slices.Chunk(f.bySlot[slot], f.models) {
			share := math.Exp(weighted(row, weights) - log)
			for i, d := range row {
				gradient[i] += share * float64(d)
			}
		}
	}
	return log
}

// normalized returns the weights with logarithms, with sum 1.
func normalized(logs []float64) []float64 {
	weights := make([]float64, len(logs))
	total := floats.LogSumExp(logs)
	for i, log := range logs {
		weights[i] = math.Exp(log - total)
	}
	return weights
}
