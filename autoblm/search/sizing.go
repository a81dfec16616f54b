package search

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// againBase is the recipe of the search with the epochs of what is trained again.
func (s *searcher) againBase() task.Recipe {
	r := s.recipe
	if s.Settings.AgainEpochs > 0 {
		r.Training.Epochs, r.Training.MaxSteps = s.Settings.AgainEpochs, s.Settings.AgainSteps
	}
	return r
}

// chooseSize is the recipe of what is trained again: of several dimensions the one that the
// two best structures reach most with.
func (s *searcher) chooseSize(ctx context.Context) (task.Recipe, error) {
	base := s.againBase()
	dims := s.Settings.AgainDims
	if before := of(task.Retraining, s.trials); len(before) > 0 { // of an earlier budget
		base = before[0].Recipe
		base.Seed = s.recipe.Seed
		return base, nil
	}
	if len(dims) == 1 {
		base.Training.Dim = dims[0]
	}
	if len(dims) < 2 {
		return base, nil
	}
	best := bestFirst(of(task.Searching, s.trials))
	models := best[:min(len(best), tunedModels)]
	var chosen task.Recipe
	most := -1.0
	for _, dim := range dims {
		r := base
		r.Training.Dim = dim
		score, err := s.reached(ctx, models, r)
		if err != nil {
			return chosen, err
		}
		if score > most {
			chosen, most = r, score
		}
	}
	return chosen, nil
}

// reached is the mean of what structures come to by a recipe.
func (s *searcher) reached(ctx context.Context, models []task.Trial, r task.Recipe) (float64, error) {
	is := func(t, m task.Trial) bool { return t.Structure == m.Structure && t.Recipe == r }
	var missing []task.Trial
	for _, m := range models {
		if !slices.ContainsFunc(of(task.Sizing, s.trials), func(t task.Trial) bool { return is(t, m) }) {
			missing = append(missing, task.Trial{Name: m.Name, Structure: m.Structure, Recipe: r})
		}
	}
	if len(missing) > 0 {
		if err := s.put(Change{Trials: s.numbered(task.Sizing, missing)}); err != nil {
			return 0, err
		}
	}
	if err := s.trainRunning(ctx, task.Sizing); err != nil {
		return 0, err
	}
	var all []float64
	for _, t := range of(task.Sizing, s.trials) {
		for _, m := range models {
			if is(t, m) {
				all = append(all, t.ScoreOrZero())
			}
		}
	}
	return stat.Mean(all, nil), nil
}
