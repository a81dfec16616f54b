package search

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Progress reports how far a search is.
type Progress struct {
	Stage task.Stage
	// Baselines is true while the baselines train, before the structures.
	Baselines bool
	// Trained of Budget trials of the stage are finished, without baselines.
	Trained, Budget int
	// Share is the finished share of all training, from 0 to 1.
	Share float64
	// Best is the best trial of the stage so far, nil if there is none.
	Best *task.Trial
	// Metric is the metric of its score, such as "MRR".
	Metric string
}

// report reports the progress of a stage whose population is trained to a share.
func (e *executor) report(stage Stage, training []task.Trial, share float64) {
	if e.OnProgress == nil {
		return
	}
	p := Progress{Stage: training[0].Stage, Metric: e.Task.Presentation().Metric}
	trials := e.InStage(p.Stage)
	p.Trained, p.Budget = task.Finished(trials), len(trials)
	if best := task.BestFirst(trials); len(best) > 0 {
		p.Best = &best[0]
	}
	stage.Progress(&e.State, training, &p)
	p.Share = e.share(training, share)
	if e.Plan != nil {
		p.Share = min(1, e.Used().Seconds()/e.Plan.Limit.Seconds())
	}
	e.OnProgress(p)
}

// share returns the finished share of all training, measured in full trainings.
func (e *executor) share(training []task.Trial, share float64) float64 {
	all := 0.0
	for _, stage := range e.Stages {
		all += stage.Work(&e.State)
	}
	ended := slices.DeleteFunc(slices.Clone(e.Trials), func(t task.Trial) bool {
		return t.State == task.Running
	})
	return min(1, (e.fullTrainings(ended)+e.fullTrainings(training)*share)/all)
}

// fullTrainings returns the cost of trials in full trainings.
func (e *executor) fullTrainings(trials []task.Trial) (sum float64) {
	for _, t := range trials {
		if t.Stage == task.HalvingRung {
			sum += float64(t.Recipe.Training.Epochs) / float64(e.Settings.Training.Epochs)
		} else {
			sum++
		}
	}
	return sum
}
