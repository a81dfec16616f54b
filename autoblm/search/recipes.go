package search

import (
	"context"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// recipes is the search for the recipe of a model without a structure: its trials are one
// round, of all that the budget allows, and another where that is raised later.
func (s *searcher) recipes(ctx context.Context) (Stop, string, error) {
	if have := len(s.trials); have < s.Settings.Budget {
		source := rand.NewPCG(s.Settings.Seed, tuningStream)
		state, err := source.MarshalBinary()
		if err != nil {
			return "", "", err
		}
		rng := rand.New(source)
		round := Round{Number: len(s.rounds) + 1, RandomState: state, Proposed: s.Settings.Budget - have}
		var trials []task.Trial
		for i := range s.Settings.Budget {
			recipe := PaperRanges().draw(s.recipe, rng)
			if i >= have {
				trials = append(trials, task.Trial{
					Number: i + 1, Stage: task.Searching, Round: round.Number, Form: s.Settings.Model, Recipe: recipe, State: task.Running,
				})
			}
		}
		if err := s.put(Change{Trials: sameTraining(trials), Round: &round}); err != nil {
			return "", "", err
		}
	}
	return BudgetSpent, "", s.trainRunning(ctx, task.Searching)
}
