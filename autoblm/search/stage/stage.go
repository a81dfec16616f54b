package stage

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// All returns the stages of a search in their order. Depending on the settings, some of them do
// nothing.
func All() []search.Stage {
	return []search.Stage{
		Default{}, Recipes{}, Plan{}, Tuning{}, Revision{}, Structures{}, Baselines{}, Retraining{},
		Ensemble{}, Final{},
	}
}

// Run runs a search with all stages.
func Run(ctx context.Context, p search.Problem) (*search.Result, error) {
	p.Stages = All()
	r, err := search.Run(ctx, p)
	if err == nil {
		r.Tuned = tunedRecipes(r.Settings, r.Trials)
	}
	return r, err
}

// Summarize computes the results of a study from its trials and rounds; see [search.Summarize].
func Summarize(s search.Settings, trials []task.Trial, rounds []search.Round) *search.Result {
	r := search.Summarize(s, trials, rounds)
	r.Tuned = tunedRecipes(s, trials)
	return r
}

// done is the step of a stage with nothing to do.
var done = search.Step{Done: true}

// propose returns a step that stores new trials of a stage.
func propose(s *search.State, stage task.Stage, trials []task.Trial) search.Step {
	return search.Step{Change: &search.Change{Trials: s.Numbered(stage, trials)}}
}

// Streams of random numbers that do not depend on those of the rounds. Rounds use their numbers,
// and strategies 1<<62.
const (
	tuningStream = 1<<63 + iota
	finalStream
)

// groupByTraining orders trials so that those with the same training settings are adjacent and
// train as one population. The numbers follow the new order.
func groupByTraining(trials []task.Trial) []task.Trial {
	first := trials[0].Number
	done := map[kge.Settings]bool{}
	var ordered []task.Trial
	for _, t := range trials {
		training := t.Recipe.Training
		if done[training] {
			continue
		}
		done[training] = true
		for _, u := range trials {
			if u.Recipe.Training == training {
				ordered = append(ordered, u)
			}
		}
	}
	for i := range ordered {
		ordered[i].Number = first + i
	}
	return ordered
}
