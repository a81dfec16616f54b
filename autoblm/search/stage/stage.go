package stage

import (
	"context"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// All returns the stages of a search in their order. Depending on the settings, some of them do
// nothing.
func All() []search.Stage {
	return []search.Stage{
		Default{}, Recipes{}, Plan{}, Tuning{}, Revision{}, Structures{}, TuneEach{}, Baselines{},
		Retraining{}, Ensemble{}, Final{},
	}
}

// Run runs a search with all stages.
func Run(ctx context.Context, p search.Problem) (*search.Result, error) {
	p.Stages = All()
	r, err := search.Run(ctx, p)
	if err == nil {
		addTuned(r)
	}
	return r, err
}

// Summarize computes the results of a study from its trials and rounds; see [search.Summarize].
func Summarize(s search.Settings, trials []task.Trial, rounds []search.Round) *search.Result {
	r := search.Summarize(s, trials, rounds)
	addTuned(r)
	return r
}

// addTuned adds the results of the tuning stages.
func addTuned(r *search.Result) {
	r.Tuned = tunedRecipes(r.Settings, r.Trials)
	tuners := endedTuners(r.Settings, r.Trials)
	r.TunedEach = slices.DeleteFunc(tunedModels(r.Settings, r.Trials), func(t task.Trial) bool {
		isOf := func(of *tuner) bool { return isSameModel(of.models[0], t) }
		return t.Stage != task.TuningEach && !slices.ContainsFunc(tuners, isOf)
	})
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
	layoutStream
)

// groupByTraining orders trials so that those that can train as one population are adjacent. The
// numbers follow the new order.
func groupByTraining(trials []task.Trial) []task.Trial {
	first := trials[0].Number
	taken := make([]bool, len(trials))
	var ordered []task.Trial
	for i, t := range trials {
		isFirst := !taken[i]
		for j := i; isFirst && j < len(trials); j++ {
			if !taken[j] && search.TrainTogether(t, trials[j]) {
				taken[j] = true
				ordered = append(ordered, trials[j])
			}
		}
	}
	for i := range ordered {
		ordered[i].Number = first + i
	}
	return ordered
}
