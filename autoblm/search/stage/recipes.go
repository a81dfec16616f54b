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

// Recipes searches for the recipe of a model without a structure, and for the cell of Interstellar. The
// first recipe is the initial one. A Parzen estimator draws the others from the space of the model.
// Each round has as many as one of structures. A larger budget adds more.
type Recipes struct{ search.StageBase }

// Next implements [search.Stage].
func (Recipes) Next(_ context.Context, s *search.State) (search.Step, error) {
	if s.Settings.Model == form.Bilinear {
		return done, nil
	}
	if p := budgeted(s, task.Searching); len(p) > 0 {
		return trainStructures(s, p), nil
	}
	switch {
	case len(s.InStage(task.Searching)) >= s.Settings.Budget:
		return search.Step{Done: true, EndSearch: true, Stopped: search.BudgetSpent}, nil
	case s.TimeIsUp():
		return search.Step{Done: true, EndSearch: true, Stopped: search.TimeLimitReached}, nil
	}
	trials := nextRecipes(s)
	if len(trials) == 0 {
		return search.Step{
			Done: true, EndSearch: true, Stopped: search.SpaceExhausted,
			Note: "the space of settings has no others",
		}, nil
	}
	round := search.Round{Number: len(s.Rounds) + 1, Proposed: len(trials)}
	var err error
	first := len(s.InStage(task.Searching))
	if round.RandomState, err = recipeSource(s.Settings.Seed, first).MarshalBinary(); err != nil {
		return done, err
	}
	for i := range trials {
		trials[i].Round = round.Number
	}
	change := search.Change{
		Trials: groupByTraining(s.Numbered(task.Searching, trials)), Round: &round,
	}
	return search.Step{Change: &change}, nil
}

// recipeSource returns the source of the choice of a trial, counted from 0.
func recipeSource(seed uint64, trial int) *rand.PCG {
	return rand.NewPCG(seed, trialStream+uint64(trial))
}

// nextRecipes returns the trials of the next round, none if the space is exhausted. They depend on the
// results of earlier rounds only, so that a larger budget completes a round with the same trials.
func nextRecipes(s *search.State) (trials []task.Trial) {
	settings := s.Settings
	base := choice{Recipe: settings.TrialRecipe(), form: settings.FirstForm()}
	space := recipeSpace{*settings.SpaceOf(settings.Model)}
	models := []task.Trial{{Form: base.form}}
	tried := map[choice]bool{}
	var all []ratedRecipe
	for _, t := range s.InStage(task.Searching) {
		c := choice{Recipe: t.Recipe, form: t.Form}
		tried[c] = true
		all = append(all, ratedRecipe{c, t.ScoreOrZero()})
	}
	isNew := func(c choice) bool { return !tried[c] }
	round := len(all) / settings.RoundSize
	rated := all[:round*settings.RoundSize]
	for i := len(all); i < min((round+1)*settings.RoundSize, settings.Budget); i++ {
		c, found := tidy(base), true
		if i > 0 {
			rng := rand.New(recipeSource(settings.Seed, i))
			c, found = space.drawChoice(base, rated, models, isNew, rng)
		}
		if !found {
			break
		}
		tried[c] = true
		trials = append(trials, task.Trial{Form: c.form, Recipe: c.Recipe})
	}
	return trials
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
