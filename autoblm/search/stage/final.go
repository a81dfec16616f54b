package stage

import (
	"context"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Final trains random ones of the best structures with random recipes: the last stage of the
// paper's full procedure. It excludes retraining.
type Final struct{ search.StageBase }

// Next implements [search.Stage].
func (Final) Next(_ context.Context, s *search.State) (search.Step, error) {
	final := s.Settings.Final
	if final == nil || s.Settings.RetrainSeeds > 0 {
		return done, nil
	}
	if len(s.InStage(task.Final)) > 0 {
		if p := s.Population(task.Final, s.MaxPopulation(), nil); len(p) > 0 {
			return search.Step{Train: p, Deadline: s.TimeLimit()}, nil
		}
		return done, nil
	}
	best := task.BestFirst(task.InStage(task.Searching, search.Proposed(s.Trials)))
	if len(best) == 0 || s.TimeIsUp() {
		return done, nil
	}
	best = best[:min(len(best), s.Settings.Parents)]
	rng := rand.New(rand.NewPCG(s.Settings.Seed, finalStream))
	base := Recipe(s)
	base.Training = final.Apply(base.Training)
	var trials []task.Trial
	for i := range final.Trials {
		model := best[rng.IntN(len(best))]
		recipe := drawRecipe(final.Ranges, base, rng)
		recipe.Training.Message = model.Recipe.Training.Message
		trials = append(trials, task.Trial{
			Number: len(s.Trials) + i + 1, Stage: task.Final, Structure: model.Structure,
			Recipe: recipe, State: task.Running,
		})
	}
	return search.Step{Change: &search.Change{Trials: groupByTraining(trials)}}, nil
}
