package study

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/stage"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Result returns the results of the search so far, as [search.Run] returns them. A file does not
// have the reason why the search ended. Resumed is 0, and Overhead covers the rounds of all runs.
func (c *Contents) Result() *search.Result {
	r := stage.Summarize(c.About.Settings, c.Trials, c.Rounds)
	if c.Best != nil {
		r.Artifact = c.Best
	}
	return r
}

// Status is the progress of a study.
type Status string

// Progress of a study.
const (
	// Finished studies train nothing more when they are resumed.
	Finished Status = "finished"
	// BudgetLeft studies have fewer structures than the budget of the last run. The strategy
	// may still have no more to propose.
	BudgetLeft Status = "budget left"
	// FinalLeft studies have trials of a later stage left, or the selection of an ensemble.
	FinalLeft Status = "final stage left"
)

// Status compares the trials with the settings of the last run.
func (c *Contents) Status() Status {
	if p := c.Plan; p != nil {
		switch {
		case p.Ended:
			return Finished
		case p.Searched:
			return FinalLeft
		}
		return BudgetLeft
	}
	s, r := c.About.Settings, c.Result()
	switch {
	case r.Trained < s.Budget:
		return BudgetLeft
	case r.Complete > 0 && s.Final != nil && len(c.finished(task.Final)) < s.Final.Trials:
		return FinalLeft
	case r.Complete > 0 && s.RetrainSeeds > 0 && c.retrainingLeft():
		return FinalLeft
	case stage.EnsembleLeft(s, c.Trials):
		return FinalLeft
	}
	return Finished
}

func (c *Contents) retrainingLeft() bool {
	trials := c.trialsOf(task.Retraining)
	return len(trials) == 0 || len(c.finished(task.Retraining)) < len(trials)
}

// trialsOf returns the trials of a stage.
func (c *Contents) trialsOf(stage task.Stage) []task.Trial {
	return slices.DeleteFunc(slices.Clone(c.Trials), func(t task.Trial) bool {
		return t.Stage != stage
	})
}

// finished returns the trials of a stage that have a result.
func (c *Contents) finished(stage task.Stage) []task.Trial {
	return slices.DeleteFunc(c.trialsOf(stage), func(t task.Trial) bool {
		return t.State == task.Running
	})
}
