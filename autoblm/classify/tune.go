package classify

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// Ranges holds the ranges from which [Tune] draws. An empty list keeps the value of the settings, and
// a range with an upper end of 0 that of the member. Learning rates and L2 weights are log-uniform,
// dropouts uniform.
type Ranges struct {
	Dims                      []int
	Norms                     []Norm
	Reverse, SelfLoops        []bool
	SeenBy                    []int
	LearningRate, Dropout, L2 [2]float64
}

// DefaultRanges returns the ranges of Section V-C without learning rates that are too small for a
// hundred epochs. It adds ranges of the settings with the most influence.
func DefaultRanges() Ranges {
	return Ranges{
		Dims:    []int{12, 20, 32, 48},
		Norms:   []Norm{NoNorm, ByRelation, ByRelationRoot, Symmetric},
		Reverse: []bool{false, true}, SelfLoops: []bool{false, true},
		SeenBy:       []int{0, 5, 20, 40},
		LearningRate: [2]float64{3e-3, 3e-2}, Dropout: [2]float64{0, 0.5}, L2: [2]float64{1e-4, 1},
	}
}

// Tuned holds settings that [Tune] tried, with their result.
type Tuned struct {
	Settings Settings
	Result   Result
}

// Tune cross-validates a member with a number of settings drawn from the ranges by a seed. It
// returns them by accuracy, then by loss, best first, and diverged ones last. Nothing is tested.
// With a deadline it tries fewer settings, at least the first, and leaves time for a final
// training.
func Tune(
	ctx context.Context, g *rdf.Graph, s Settings, m Member, r Ranges, trials int, seed uint64,
	o Options,
) ([]Tuned, error) {
	if trials < 1 {
		return nil, fmt.Errorf("trials is %d: it must be at least 1", trials)
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	r, err := r.restricted(g, s, m)
	if err != nil {
		return nil, err
	}
	runs := s.Runs
	s.Runs, o.KeepModels = 0, false
	var all []Tuned
	part, report, trialEpochs := o, o.OnProgress, s.Epochs*s.heldOut()
	if !o.Deadline.IsZero() {
		models, finalModels := trials*s.heldOut(), s.heldOut()+max(1, runs)
		tuning := time.Until(o.Deadline) * time.Duration(models) / time.Duration(models+finalModels)
		part.Deadline = time.Now().Add(tuning)
	}
	rng := newRand(seed, 0)
	for done := range trials {
		if done > 0 && !part.Deadline.IsZero() && time.Now().After(part.Deadline) {
			if err := o.Checkpoint.close(nil, nil, nil); err != nil {
				return nil, err
			}
			break
		}
		if report != nil {
			part.OnProgress = func(epochs, _ int) { report(done*trialEpochs+epochs, trials*trialEpochs) }
		}
		drawn, m := r.draw(rng, s, m)
		results, err := TrainOnce(ctx, g, drawn, part, []Member{m})
		if err != nil {
			return nil, err
		}
		all = append(all, Tuned{drawn, results[0]})
	}
	slices.SortStableFunc(all, func(a, b Tuned) int { return compareResults(a.Result, b.Result) })
	return all, nil
}

// check returns an error if a range is empty, or has values that its setting cannot have.
func (r Ranges) check() error {
	isPositive := func(x float64) bool { return x > 0 && x <= math.MaxFloat64 }
	isShare := func(x float64) bool { return x >= 0 && x < 1 }
	for _, of := range []struct {
		name, values string
		ends         [2]float64
		isValid      func(float64) bool
	}{
		{"learning rates", "positive numbers", r.LearningRate, isPositive},
		{"L2 weights", "positive numbers", r.L2, isPositive}, // whose logarithm is uniform
		{"dropouts", "numbers from 0 to below 1", r.Dropout, isShare},
	} {
		low, high := of.ends[0], of.ends[1]
		if high != 0 && !(of.isValid(low) && low <= high && of.isValid(high)) {
			return fmt.Errorf("the range of %s is %v to %v: give two ascending %s", of.name, low, high, of.values)
		}
	}
	return nil
}

// restricted leaves out values that are invalid for the graph, the member or the settings. If no
// dimension is left, it returns the error of the first.
func (r Ranges) restricted(g *rdf.Graph, s Settings, m Member) (Ranges, error) {
	r.SeenBy = slices.DeleteFunc(slices.Clone(r.SeenBy), func(n int) bool {
		return n > len(labelledNodes(g))
	})
	var firstErr error
	r.Dims = slices.DeleteFunc(slices.Clone(r.Dims), func(dim int) bool {
		s.Dim = dim
		err := validate(s, []Member{m})
		firstErr = cmp.Or(firstErr, err)
		return err != nil
	})
	if len(r.Dims) == 0 {
		return r, firstErr
	}
	return r, nil
}

// draw draws settings and a member.
func (r Ranges) draw(rng *rand.Rand, s Settings, m Member) (Settings, Member) {
	uniform := func(of [2]float64) float64 { return of[0] + rng.Float64()*(of[1]-of[0]) }
	logUniform := func(of [2]float64) float64 {
		return math.Exp(uniform([2]float64{math.Log(of[0]), math.Log(of[1])}))
	}
	s.Dim = oneOf(rng, r.Dims, s.Dim)
	s.Norm = oneOf(rng, r.Norms, s.Norm)
	s.Reverse = oneOf(rng, r.Reverse, s.Reverse)
	s.SelfLoops = oneOf(rng, r.SelfLoops, s.SelfLoops)
	s.SeenBy = oneOf(rng, r.SeenBy, s.SeenBy)
	if r.LearningRate[1] > 0 {
		m.LearningRate = logUniform(r.LearningRate)
	}
	if r.Dropout[1] > 0 {
		m.Dropout = uniform(r.Dropout)
	}
	if r.L2[1] > 0 {
		m.L2 = logUniform(r.L2)
	}
	return s, m
}

// oneOf draws from a list; from an empty list it returns the default.
func oneOf[T any](rng *rand.Rand, list []T, byDefault T) T {
	if len(list) == 0 {
		return byDefault
	}
	return list[rng.IntN(len(list))]
}

// compareResults orders results, better ones first.
func compareResults(a, b Result) int {
	failed := func(r Result) int {
		if r.Err != nil {
			return 1
		}
		return 0
	}
	return cmp.Or(failed(a)-failed(b), cmp.Compare(b.CVAccuracy, a.CVAccuracy),
		cmp.Compare(a.CVLoss, b.CVLoss))
}
