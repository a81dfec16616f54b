package stage

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// recipeSpace draws recipes from a space.
type recipeSpace struct{ search.Space }

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

// draw proposes a recipe for models that was not tried, with a tree-structured Parzen estimator
// (Bergstra et al., 2011) over the axes: values near those of good recipes are likely. It returns
// false if it finds nothing new.
func (s recipeSpace) draw(
	base task.Recipe, tried []ratedRecipe, models []task.Trial, rng *rand.Rand,
) (choice, bool) {
	isNew := func(c choice) bool { return !isRated(tried, c) }
	return s.drawChoice(choice{Recipe: base}, tried, models, isNew, rng)
}

// drawChoice draws a new choice as draw does.
func (s recipeSpace) drawChoice(
	base choice, tried []ratedRecipe, models []task.Trial, isNew func(choice) bool, rng *rand.Rand,
) (choice, bool) {
	axes := s.axes(base, models)
	candidate := func() choice {
		r := base
		for _, a := range axes {
			if rng.Float64() < changeProbability && a.isIn(r) {
				a.set(&r, rng.IntN(a.size))
			}
		}
		return tidy(r)
	}
	ratio := func(choice) float64 { return 0 }
	if len(tried) >= randomRecipesFirst {
		best := slices.Clone(tried)
		sortRecipes(best)
		n := max(2, int(math.Ceil(goodShare*float64(len(best)))))
		likely, unlikely := estimateAxes(axes, best[:n]), estimateAxes(axes, best[n:])
		candidate = func() choice {
			r := base
			for i, a := range axes {
				if a.isIn(r) {
					a.set(&r, strategy.DrawIndex(likely[i], rng))
				}
			}
			return tidy(r)
		}
		ratio = func(r choice) (sum float64) {
			for i, a := range axes {
				if a.isIn(r) {
					sum += math.Log(likely[i][a.index(r)] / unlikely[i][a.index(r)])
				}
			}
			return sum
		}
	}
	var chosen choice
	best, found := math.Inf(-1), false
	for range candidatesPerRecipe {
		r := candidate()
		if score := ratio(r); score > best && isNew(r) && canTrain(r, models) {
			chosen, best, found = r, score, true
		}
	}
	return chosen, found
}

// estimateAxes returns the probabilities of the values on each axis, from the values of those recipes
// that it applies to, and their neighbors. One additional recipe, spread over all values, keeps each
// of them possible.
func estimateAxes(axes []axis, recipes []ratedRecipe) [][]float64 {
	all := make([][]float64, len(axes))
	for i, a := range axes {
		within := slices.DeleteFunc(slices.Clone(recipes), func(r ratedRecipe) bool {
			return !a.isIn(r.choice)
		})
		share := 1 / float64(len(within)+1)
		p := slices.Repeat([]float64{share / float64(a.size)}, a.size)
		for _, r := range within {
			index := a.index(r.choice)
			var neighbors []int
			for _, n := range []int{index - 1, index + 1} {
				if n >= 0 && n < a.size && !a.unordered {
					neighbors = append(neighbors, n)
				}
			}
			own := sameValue
			if len(neighbors) == 0 {
				own = 1
			}
			p[index] += share * own
			for _, n := range neighbors {
				p[n] += share * (1 - own) / float64(len(neighbors))
			}
		}
		all[i] = p
	}
	return all
}

// canTrain reports whether a choice can train all models.
func canTrain(c choice, models []task.Trial) bool {
	if cell, has := c.form.Cell(); has && cell.Check() != nil {
		return false
	}
	return !slices.ContainsFunc(models, func(m task.Trial) bool {
		m.Recipe = c.Recipe
		if c.form != form.Bilinear {
			m.Form = c.form
		}
		return c.Training.ValidateFor(m.Member()) != nil
	})
}
