package stage

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// recipeSpace draws recipes from a space.
type recipeSpace struct{ search.Space }

// axis is one field of a recipe with the values to try, in ascending order.
type axis struct {
	size  int
	index func(task.Recipe) int // of the recipe's value
	set   func(r *task.Recipe, index int)
}

// newAxis returns the axis of a field, with the value of base in addition to the given ones.
// Without values it returns none.
func newAxis[T comparable](
	values []T, compare func(a, b T) int, base task.Recipe, field func(*task.Recipe) *T,
) []axis {
	if len(values) == 0 {
		return nil
	}
	values = slices.Clone(values)
	if own := *field(&base); !slices.Contains(values, own) {
		values = append(values, own)
	}
	slices.SortFunc(values, compare)
	return []axis{{
		size:  len(values),
		index: func(r task.Recipe) int { return max(0, slices.Index(values, *field(&r))) },
		set:   func(r *task.Recipe, index int) { *field(r) = values[index] },
	}}
}

// axes returns the axes of the fields with values to try, for structures with k chunks.
func (s recipeSpace) axes(base task.Recipe, k int) []axis {
	numbers := func(values []float64, field func(*task.Recipe) *float64) []axis {
		return newAxis(values, cmp.Compare, base, field)
	}
	dura := numbers(s.Dura, func(r *task.Recipe) *float64 { return &r.EntityL2 })
	for i := range dura {
		set := dura[i].set
		dura[i].set = func(r *task.Recipe, index int) {
			set(r, index)
			r.Products = r.EntityL2
		}
	}
	if base.EntityL2 != base.Products { // not the weights of DURA: keep them
		dura = nil
	}
	return slices.Concat(
		newAxis(s.Batches, cmp.Compare, base,
			func(r *task.Recipe) *int { return &r.Training.Batch }),
		numbers(s.LearningRates, func(r *task.Recipe) *float64 { return &r.LearningRate }),
		numbers(s.N3, func(r *task.Recipe) *float64 { return &r.N3 }),
		newAxis(blocks(s.N3Blocks, k), cmp.Compare, base,
			func(r *task.Recipe) *int { return &r.N3Block }),
		numbers(s.PenaltyFrequencies,
			func(r *task.Recipe) *float64 { return &r.PenaltyFrequency }),
		dura,
		numbers(s.RelationPredictions,
			func(r *task.Recipe) *float64 { return &r.RelationPrediction }),
		numbers(s.Dropouts, func(r *task.Recipe) *float64 { return &r.Training.Dropout }),
		numbers(s.InitScales, func(r *task.Recipe) *float64 { return &r.Training.InitScale }),
		newAxis(s.Reciprocal, func(_, _ bool) int { return 0 }, base, // two values need no order
			func(r *task.Recipe) *bool { return &r.Training.Reciprocal }),
	)
}

// blocks returns those values of N3Block that fit k chunks.
func blocks(values []int, k int) []int {
	fits := func(n int) bool { return n <= 1 || k > 0 && k%n == 0 }
	return slices.DeleteFunc(slices.Clone(values), func(n int) bool { return !fits(n) })
}

const (
	// randomRecipesFirst are drawn near the initial recipe before the first estimate.
	randomRecipesFirst = 8
	// changeProbability is the probability that such a recipe changes a field.
	changeProbability = 0.35
	// goodShare is the share of recipes that count as good.
	goodShare = 0.2
	// sameValue is the weight of a good recipe's own value; its neighbors share the rest.
	sameValue = 0.6
	// candidatesPerRecipe are drawn for each recipe.
	candidatesPerRecipe = 24
)

// draw proposes a recipe that was not tried, with a tree-structured Parzen estimator (Bergstra et
// al., 2011) over the axes: values near those of good recipes are likely. It returns false if it
// finds nothing new.
func (s recipeSpace) draw(
	base task.Recipe, tried []ratedRecipe, k int, rng *rand.Rand,
) (task.Recipe, bool) {
	axes := s.axes(base, k)
	isNew := func(r task.Recipe) bool {
		member := r.Member(structure.Zero(k))
		return r.Training.ValidateFor(member) == nil && !isRated(tried, r)
	}
	candidate := func() task.Recipe {
		r := base
		for _, a := range axes {
			if rng.Float64() < changeProbability {
				a.set(&r, rng.IntN(a.size))
			}
		}
		return r
	}
	ratio := func(task.Recipe) float64 { return 0 }
	if len(tried) >= randomRecipesFirst {
		best := slices.Clone(tried)
		sortRecipes(best)
		n := max(2, int(math.Ceil(goodShare*float64(len(best)))))
		likely, unlikely := estimateAxes(axes, best[:n]), estimateAxes(axes, best[n:])
		candidate = func() task.Recipe {
			r := base
			for i, a := range axes {
				a.set(&r, strategy.DrawIndex(likely[i], rng))
			}
			return r
		}
		ratio = func(r task.Recipe) (sum float64) {
			for i, a := range axes {
				sum += math.Log(likely[i][a.index(r)] / unlikely[i][a.index(r)])
			}
			return sum
		}
	}
	var chosen task.Recipe
	best, found := math.Inf(-1), false
	for range candidatesPerRecipe {
		if r := candidate(); isNew(r) && ratio(r) > best {
			chosen, best, found = r, ratio(r), true
		}
	}
	return chosen, found
}

// estimateAxes returns the probabilities of the values on each axis, from the values of recipes and
// their neighbors. One additional recipe, spread over all values, keeps each of them possible.
func estimateAxes(axes []axis, recipes []ratedRecipe) [][]float64 {
	all := make([][]float64, len(axes))
	share := 1 / float64(len(recipes)+1)
	for i, a := range axes {
		p := slices.Repeat([]float64{share / float64(a.size)}, a.size)
		for _, r := range recipes {
			index := a.index(r.recipe)
			var neighbors []int
			for _, n := range []int{index - 1, index + 1} {
				if n >= 0 && n < a.size {
					neighbors = append(neighbors, n)
				}
			}
			p[index] += share * sameValue
			for _, n := range neighbors {
				p[n] += share * (1 - sameValue) / float64(len(neighbors))
			}
		}
		all[i] = p
	}
	return all
}
