package stage

import (
	"context"
	"math/rand/v2"

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
	have := len(s.Trials)
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
				Number: i + 1, Stage: task.Searching, Round: round.Number,
				Form: settings.Model, Recipe: recipe, State: task.Running,
			})
		}
	}
	change := search.Change{Trials: groupByTraining(trials), Round: &round}
	return search.Step{Change: &change}, nil
}

// Trained stores the artifact of the best trial.
func (Recipes) Trained(s *search.State, c *search.Change, artifacts []task.Artifact) error {
	s.KeepBest(c, artifacts)
	return nil
}

// Progress counts the recipes of the budget.
func (Recipes) Progress(s *search.State, training []task.Trial, p *search.Progress) {
	structureProgress(s, training, p)
}
