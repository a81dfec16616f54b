package stage

import (
	"math"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// drawRecipe draws a recipe from ranges. The rest of the recipe comes from base.
func drawRecipe(r search.Ranges, base task.Recipe, rng *rand.Rand) task.Recipe {
	low, high := r.LearningRate[0], r.LearningRate[1]
	base.LearningRate = high - rng.Float64()*(high-low) // excludes low, which may be 0
	base.N3 = r.N3[0] * math.Pow(r.N3[1]/r.N3[0], rng.Float64())
	base.Training.Batch = r.Batches[rng.IntN(len(r.Batches))]
	if len(r.Dims) > 0 {
		base.Training.Dim = r.Dims[rng.IntN(len(r.Dims))]
	}
	return base
}
