package search

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Space is what recipes are tuned over: the values of each of their parts, in order, so that
// neighbours are alike. What a recipe has before counts as one of them. A part without values
// stays as it is.
type Space struct {
	Batches       []int     `json:"batches,omitempty"`
	LearningRates []float64 `json:"learning_rates,omitempty"`
	N3            []float64 `json:"n3,omitempty"`
	// Dura are weights of entities and of products, the same for both.
	Dura                []float64 `json:"dura,omitempty"`
	RelationPredictions []float64 `json:"relation_predictions,omitempty"`
	Dropouts            []float64 `json:"dropouts,omitempty"`
	InitScales          []float64 `json:"init_scales,omitempty"`
	Reciprocal          []bool    `json:"reciprocal,omitempty"`
}

// DefaultSpace has what the recipes of the field differ in.
func DefaultSpace() *Space {
	return &Space{
		Batches:             []int{64, 128, 256, 512, 1024},
		LearningRates:       []float64{.02, .03, .05, .07, .1, .15, .2, .3, .5},
		N3:                  []float64{0, .001, .002, .005, .01, .02, .05, .1, .2},
		Dura:                []float64{0, .002, .005, .01, .02, .05, .1},
		RelationPredictions: []float64{0, .05, .2, 1},
		Dropouts:            []float64{0, .1, .2, .3, .4, .5},
		InitScales:          []float64{1e-3, 1e-2, 1e-1},
		Reciprocal:          []bool{false, true},
	}
}

func (s Space) validate() error {
	for _, numbers := range [][]float64{s.LearningRates, s.N3, s.Dura, s.RelationPredictions, s.Dropouts, s.InitScales} {
		for _, x := range numbers {
			if !(x >= 0) || math.IsInf(x, 0) {
				return errors.New("the space of recipes has a number that is negative or not finite: correct it")
			}
		}
	}
	if len(s.axes(task.Recipe{})) == 0 {
		return errors.New("the space of recipes is empty: give at least one part values")
	}
	return nil
}

// axis is one part of recipes.
type axis struct {
	size int
	at   func(task.Recipe) int // the place of what a recipe has
	set  func(r *task.Recipe, place int)
}

// axisOf is the axis of a part whose value is found in a recipe by of.
func axisOf[T comparable](values []T, less func(a, b T) int, base task.Recipe, of func(*task.Recipe) *T) []axis {
	if len(values) == 0 {
		return nil
	}
	values = slices.Clone(values)
	if own := *of(&base); !slices.Contains(values, own) {
		values = append(values, own)
	}
	slices.SortFunc(values, less)
	return []axis{{
		size: len(values),
		at:   func(r task.Recipe) int { return max(0, slices.Index(values, *of(&r))) },
		set:  func(r *task.Recipe, place int) { *of(r) = values[place] },
	}}
}

// axes are those of the parts that have values.
func (s Space) axes(base task.Recipe) []axis {
	numbers := func(values []float64, of func(*task.Recipe) *float64) []axis {
		return axisOf(values, cmp.Compare, base, of)
	}
	dura := numbers(s.Dura, func(r *task.Recipe) *float64 { return &r.EntityL2 })
	for i := range dura {
		both := dura[i].set
		dura[i].set = func(r *task.Recipe, place int) {
			both(r, place)
			r.Products = r.EntityL2
		}
	}
	if base.EntityL2 != base.Products { // weighed in another way, which is left alone
		dura = nil
	}
	return slices.Concat(
		axisOf(s.Batches, cmp.Compare, base, func(r *task.Recipe) *int { return &r.Training.Batch }),
		numbers(s.LearningRates, func(r *task.Recipe) *float64 { return &r.LearningRate }),
		numbers(s.N3, func(r *task.Recipe) *float64 { return &r.N3 }),
		dura,
		numbers(s.RelationPredictions, func(r *task.Recipe) *float64 { return &r.RelationPrediction }),
		numbers(s.Dropouts, func(r *task.Recipe) *float64 { return &r.Training.Dropout }),
		numbers(s.InitScales, func(r *task.Recipe) *float64 { return &r.Training.InitScale }),
		axisOf(s.Reciprocal, func(a, b bool) int { return cmp.Compare(index(a), index(b)) }, base, func(r *task.Recipe) *bool { return &r.Training.Reciprocal }),
	)
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rated is a recipe with what it is worth.
type rated struct {
	recipe task.Recipe
	score  float64
}

const (
	// recipesAtRandom are drawn near the one to begin with, before any is learnt from.
	recipesAtRandom = 8
	// Of a recipe that is drawn so, each part is another one with this probability.
	partsAtRandom = 0.35
	// goodRecipes is the share of recipes that new ones are drawn like.
	goodRecipes = 0.2
	// Of a good recipe's part, a new one is a neighbour with half of what is left.
	sameValue = 0.6
)

// draw proposes a recipe that was not tried, by a tree-structured Parzen estimator (Bergstra
// et al., 2011) over the axes: where a good recipe stands, its neighbours are likely too. It is
// false where nothing new comes up.
func (s Space) draw(base task.Recipe, tried []rated, k int, rng *rand.Rand) (task.Recipe, bool) {
	axes := s.axes(base)
	isNew := func(r task.Recipe) bool {
		return r.Training.ValidateFor(r.Member(structure.Zero(k))) == nil && !slices.ContainsFunc(tried, func(t rated) bool { return t.recipe == r })
	}
	candidate := func() task.Recipe {
		r := base
		for _, a := range axes {
			if rng.Float64() < partsAtRandom {
				a.set(&r, rng.IntN(a.size))
			}
		}
		return r
	}
	ratio := func(task.Recipe) float64 { return 0 }
	if len(tried) >= recipesAtRandom {
		best := slices.Clone(tried)
		slices.SortStableFunc(best, func(a, b rated) int { return cmp.Compare(b.score, a.score) })
		n := max(2, int(math.Ceil(goodRecipes*float64(len(best)))))
		likely, unlikely := estimateAxes(axes, best[:n]), estimateAxes(axes, best[n:])
		candidate = func() task.Recipe {
			r := base
			for i, a := range axes {
				a.set(&r, drawn(likely[i], rng))
			}
			return r
		}
		ratio = func(r task.Recipe) (sum float64) {
			for i, a := range axes {
				sum += math.Log(likely[i][a.at(r)] / unlikely[i][a.at(r)])
			}
			return sum
		}
	}
	var chosen task.Recipe
	most, found := math.Inf(-1), false
	for range tpeCandidates {
		if r := candidate(); isNew(r) && ratio(r) > most {
			chosen, most, found = r, ratio(r), true
		}
	}
	return chosen, found
}

// estimateAxes are the probabilities of the places on each axis, where recipes stand and near
// by; one recipe more stands everywhere.
func estimateAxes(axes []axis, recipes []rated) [][]float64 {
	all := make([][]float64, len(axes))
	share := 1 / float64(len(recipes)+1)
	for i, a := range axes {
		p := slices.Repeat([]float64{share / float64(a.size)}, a.size)
		for _, r := range recipes {
			place := a.at(r.recipe)
			var near []int
			for _, n := range []int{place - 1, place + 1} {
				if n >= 0 && n < a.size {
					near = append(near, n)
				}
			}
			p[place] += share * sameValue
			for _, n := range near {
				p[n] += share * (1 - sameValue) / float64(len(near))
			}
		}
		all[i] = p
	}
	return all
}

// drawn is a place by its probability.
func drawn(probabilities []float64, rng *rand.Rand) int {
	left := rng.Float64()
	for i, p := range probabilities {
		if left -= p; left < 0 {
			return i
		}
	}
	return len(probabilities) - 1
}
