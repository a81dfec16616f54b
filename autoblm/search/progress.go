package search

import (
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Progress tells how far a search is.
type Progress struct {
	Stage task.Stage
	// Named is set while the named models are trained, before the others.
	Named bool
	// Trained of Budget trials of the stage are finished, named models not counted.
	Trained, Budget int
	// Share of all training that is done, named models and all stages counted, 0 to 1.
	Share float64
	// Best is the best trial of the stage so far, nil when there is none.
	Best *task.Trial
	// Metric is what its score is, as "MRR".
	Metric string
}

func (s *searcher) progress(training []task.Trial, share float64) {
	if s.OnProgress == nil {
		return
	}
	report := Progress{Metric: s.Task.Presentation().Metric, Stage: training[0].Stage, Named: training[0].Round == 0 && training[0].Stage == task.Searching}
	if report.Stage == task.HalvingRung {
		report.Stage = task.Searching // of which it is a part
	}
	var stage, counted []task.Trial
	switch report.Stage {
	case task.Tuning:
		stage, counted, report.Budget = of(task.Tuning, s.trials), s.triedRecipes(), s.Settings.Tune.Trials
	case task.Searching:
		stage, counted, report.Budget = of(task.Searching, s.trials), Proposed(s.trials), s.Settings.Budget
		stage = slices.DeleteFunc(stage, func(t task.Trial) bool { return t.Round == 0 })
	default:
		stage = of(report.Stage, s.trials)
		report.Budget = len(stage)
	}
	if counted == nil {
		counted = stage
	}
	report.Trained = finished(counted)
	report.Share = s.share(training, share)
	if s.plan != nil {
		report.Share = min(1, s.used().Seconds()/s.plan.Limit.Seconds())
	}
	if best := bestFirst(stage); len(best) > 0 {
		report.Best = &best[0]
	}
	s.OnProgress(report)
}

// share is how much of all training is done, in trainings of a search for all epochs; a share
// of what is trained now counts.
func (s *searcher) share(training []task.Trial, share float64) float64 {
	part := func(trials []task.Trial) (sum float64) {
		for _, t := range trials {
			if t.Stage == task.HalvingRung {
				sum += float64(t.Recipe.Training.Epochs) / float64(s.recipe.Training.Epochs)
			} else {
				sum++
			}
		}
		return sum
	}
	all := float64(s.Settings.Budget*(s.Settings.Rungs+1)) / math.Pow(halving, float64(s.Settings.Rungs))
	for _, t := range s.trials {
		if t.Stage == task.Searching && t.Round == 0 {
			all++
		}
	}
	if s.Settings.Tune != nil {
		all += float64(s.Settings.Tune.Trials)
	}
	if s.Settings.Final != nil {
		all += float64(s.Settings.Final.Trials)
	}
	all += float64(s.Settings.Again * (foundAgain + namedAgain))
	ended := slices.DeleteFunc(slices.Clone(s.trials), func(t task.Trial) bool { return t.State == task.Running })
	return min(1, (part(ended)+part(training)*share)/all)
}
