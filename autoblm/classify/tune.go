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

// Ranges are what [Tune] draws from: one of the dimensions that fit, of the norms,
// and of the choices of reverse edges, self-loops and SeenBy, where there are any, or else
// what the settings say; a learning rate whose logarithm is evenly spread; an evenly spread
// dropout; and an L2 whose logarithm is evenly spread, or always that of the member
// where the upper end is 0.
type Ranges struct {
	Dims                      []int
	Norms                     []Norm
	Reverse, SelfLoops        []bool
	SeenBy                    []int
	LearningRate, Dropout, L2 [2]float64
}

// PaperRanges are those of Section V-C.
func PaperRanges() Ranges {
	return Ranges{Dims: []int{12, 20, 32, 48}, LearningRate: [2]float64{1e-5, 1e-1}, Dropout: [2]float64{0, 0.5}}
}

// DefaultRanges are those of the paper without learning rates that get nowhere in
// some hundred epochs, and with what else matters.
func DefaultRanges() Ranges {
	r := PaperRanges()
	r.LearningRate, r.L2 = [2]float64{3e-3, 3e-2}, [2]float64{1e-4, 1}
	r.Norms, r.Reverse, r.SelfLoops = []Norm{NoNorm, ByRelation, ByRelationRoot, Symmetric}, []bool{false, true}, []bool{false, true}
	r.SeenBy = []int{0, 5, 20, 40}
	return r
}

// Validate says what is wrong with the ranges.
func (r Ranges) Validate() error {
	if low, high := r.LearningRate[0], r.LearningRate[1]; !(low > 0) || !(high >= low) || math.IsInf(high, 0) {
		return fmt.Errorf("the learning rates are from %v to %v: the first must be above 0 and not above the second", low, high)
	}
	if low, high := r.Dropout[0], r.Dropout[1]; !(low >= 0) || !(high >= low) || !(high < 1) {
		return fmt.Errorf("the dropouts are from %v to %v: they must be from 0 to below 1, the smaller first", low, high)
	}
	if low, high := r.L2[0], r.L2[1]; high != 0 && (!(low > 0) || !(high >= low) || math.IsInf(high, 0)) {
		return fmt.Errorf("the weights l2 are from %v to %v: the first must be above 0 and not above the second, or the second 0", low, high)
	}
	return nil
}

// Tuned is a setting that [Tune] tried.
type Tuned struct {
	Settings Settings
	Result   Result
}

// Tune cross-validates a member with so many settings drawn from the ranges, and
// returns them with the best first: the highest accuracy, then the lowest loss, and
// those that diverged last. Nothing is tested. The seed decides what is drawn. A deadline
// leaves settings out, but for the first ones: there is to be time for a last training.
func Tune(ctx context.Context, g *rdf.Graph, s Settings, m Member, r Ranges, trials int, seed uint64, o Options) ([]Tuned, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if trials < 1 {
		return nil, fmt.Errorf("trials is %d: it must be at least 1", trials)
	}
	r, err := r.fitting(g, s, m)
	if err != nil {
		return nil, err
	}
	runs := s.Runs
	s.Runs, o.KeepModels = 0, false
	var order []Settings
	members := map[Settings][]Member{} // one trainer serves all with the same settings
	rng := newRand(seed, 0)
	for range trials {
		drawn, m := r.draw(rng, s, m)
		if members[drawn] == nil {
			order = append(order, drawn)
		}
		members[drawn] = append(members[drawn], m)
	}
	var all []Tuned
	began, last := time.Now(), s.heldOut()+max(1, runs)
	epochs := s.Epochs * s.heldOut() // of a trial
	for _, drawn := range order {
		before := len(all)
		part := o
		if !o.Deadline.IsZero() {
			models := trials * s.heldOut()
			tuning := o.Deadline.Sub(began) * time.Duration(models) / time.Duration(models+last)
			until := began.Add(tuning)
			if before > 0 && time.Now().After(until) {
				if err := o.Checkpoint.closeBetween(); err != nil {
					return nil, err
				}
				break
			}
			part.Deadline = until
		}
		if o.OnProgress != nil {
			part.OnProgress = func(done, _ int) { o.OnProgress(before*epochs+done, trials*epochs) }
		}
		results, err := TrainOnce(ctx, g, drawn, part, members[drawn])
		if err != nil {
			return nil, err
		}
		for _, result := range results {
			all = append(all, Tuned{drawn, result})
		}
	}
	slices.SortStableFunc(all, func(a, b Tuned) int { return better(a.Result, b.Result) })
	return all, nil
}

// fitting leaves out what does not fit the graph, and dimensions that do not fit the
// member or the settings. Where none of these is left, the error is what is wrong
// with the first.
func (r Ranges) fitting(g *rdf.Graph, s Settings, m Member) (Ranges, error) {
	r.SeenBy = slices.DeleteFunc(slices.Clone(r.SeenBy), func(n int) bool { return n > len(labelled(g)) })
	var why error
	r.Dims = slices.DeleteFunc(slices.Clone(r.Dims), func(dim int) bool {
		s.Dim = dim
		err := validate(s, []Member{m})
		why = cmp.Or(why, err)
		return err != nil
	})
	if len(r.Dims) == 0 {
		return r, why
	}
	return r, nil
}

func (r Ranges) draw(rng *rand.Rand, s Settings, m Member) (Settings, Member) {
	between := func(of [2]float64) float64 { return of[0] + rng.Float64()*(of[1]-of[0]) }
	spread := func(of [2]float64) float64 {
		return math.Exp(between([2]float64{math.Log(of[0]), math.Log(of[1])}))
	}
	s.Dim = oneOf(rng, r.Dims, s.Dim)
	s.Norm = oneOf(rng, r.Norms, s.Norm)
	s.Reverse = oneOf(rng, r.Reverse, s.Reverse)
	s.SelfLoops = oneOf(rng, r.SelfLoops, s.SelfLoops)
	s.SeenBy = oneOf(rng, r.SeenBy, s.SeenBy)
	m.LearningRate, m.Dropout = spread(r.LearningRate), between(r.Dropout)
	if r.L2[1] > 0 {
		m.L2 = spread(r.L2)
	}
	return s, m
}

// oneOf draws from a list, or gives what there is without one.
func oneOf[T any](rng *rand.Rand, list []T, otherwise T) T {
	if len(list) == 0 {
		return otherwise
	}
	return list[rng.IntN(len(list))]
}

// better orders results, the best first.
func better(a, b Result) int {
	failed := func(r Result) int {
		if r.Err != nil {
			return 1
		}
		return 0
	}
	return cmp.Or(failed(a)-failed(b), cmp.Compare(b.CVAccuracy, a.CVAccuracy), cmp.Compare(a.CVLoss, b.CVLoss))
}
