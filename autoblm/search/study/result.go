package study

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Result is what the search has come to so far, as [search.Run] would report it.
// Why it ended is not known, Resumed is 0, and Overhead is the time that the
// rounds of all runs took.
func (c *Contents) Result() *search.Result {
	r := search.Summarize(c.About.Settings, c.Trials, c.Rounds)
	if c.Best != nil {
		r.Artifact = c.Best
	}
	return r
}

// of returns the trials of a stage.
func (c *Contents) of(stage task.Stage) []task.Trial {
	return slices.DeleteFunc(slices.Clone(c.Trials), func(t task.Trial) bool { return t.Stage != stage })
}

// Status says how far a study is.
type Status string

// What there may be left to do.
const (
	// Finished studies train nothing when they are gone on with.
	Finished Status = "finished"
	// BudgetLeft studies have fewer structures than the budget of the last run.
	// If the search had no more to propose, it is the strategy that says so.
	BudgetLeft Status = "budget left"
	// FinalLeft studies have trials of the last stage left, or an ensemble to choose.
	FinalLeft Status = "final stage left"
)

// againLeft says whether structures are to be trained again with other seeds.
func (c *Contents) againLeft() bool {
	again := c.of(task.Retraining)
	return len(again) == 0 || slices.ContainsFunc(again, func(t task.Trial) bool { return t.State == task.Running })
}

// Status compares the trials with the budget of the last run.
func (c *Contents) Status() Status {
	r, final := c.Result(), c.About.Settings.Final
	finals := 0
	for _, t := range c.of(task.Final) {
		if t.State != task.Running {
			finals++
		}
	}
	switch p := c.Plan; {
	case p != nil && p.Ended:
		return Finished
	case p != nil && p.Searched: // and it goes on as long as there is time
		return FinalLeft
	case p != nil, r.Trained < c.About.Settings.Budget:
		return BudgetLeft
	case final != nil && finals < final.Trials && r.Complete > 0, c.About.Settings.Again > 0 && r.Complete > 0 && c.againLeft(), search.EnsembleLeft(c.About.Settings, c.Trials):
		return FinalLeft
	}
	return Finished
}
