package stage

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Recipes searches for the recipe of a model without a structure. All recipes of the budget are
// one round; a larger budget adds another.
type Recipes struct{ search.StageBase }

// Next implements [search.Stage].
func (Recipes) Next(_ context.Context, s *search.State) (search.Step, error) {
	settings := s.Settings
	if settings.Model == form.Bilinear {
		return done, nil
	}
	have, first := len(s.InStage(task.Searching)), len(s.InStage(task.Default))
	if have >= settings.Budget {
		if p := budgeted(s, task.Searching); len(p) > 0 {
			return trainStructures(s, p), nil
		}
		return search.Step{Done: true, EndSearch: true, Stopped: search.BudgetSpent}, nil
	}
	source := rand.NewPCG(settings.Seed, tuningStream)
	state, err := source.MarshalBinary()
	if err != nil {
		return done, err
	}
	rng := rand.New(source)
	round := search.Round{
		Number: len(s.Rounds) + 1, RandomState: state, Proposed: settings.Budget - have,
	}
	var trials []task.Trial
	for i := range settings.Budget {
		recipe := drawRecipe(search.PaperRanges(), settings.TrialRecipe(), rng)
		if i >= have {
			trials = append(trials, task.Trial{
				Number: first + i + 1, Stage: task.Searching, Round: round.Number,
				Form: settings.Model, Recipe: recipe, State: task.Running,
			})
		}
	}
	change := search.Change{Trials: groupByTraining(trials), Round: &round}
	return search.Step{Change: &change}, nil
}

// Progress counts the recipes of the budget.
func (Recipes) Progress(s *search.State, training []task.Trial, p *search.Progress) {
	structureProgress(s, training, p)
}

// drawRecipe draws a recipe from ranges. The rest of the recipe comes from base. Binary cross entropy
// has no penalties, so that its N3 is 0.
func drawRecipe(r search.Ranges, base task.Recipe, rng *rand.Rand) task.Recipe {
	low, high := r.LearningRate[0], r.LearningRate[1]
	base.LearningRate = high - rng.Float64()*(high-low) // excludes low, which may be 0
	base.N3 = r.N3[0] * math.Pow(r.N3[1]/r.N3[0], rng.Float64())
	if base.Training.Loss == kge.BCE {
		base.N3 = 0
	}
	base.Training.Batch = r.Batches[rng.IntN(len(r.Batches))]
	if len(r.Dims) > 0 {
		base.Training.Dim = r.Dims[rng.IntN(len(r.Dims))]
	}
	return base
}
