package study

import (
	"cmp"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
)

// Result is what the search has come to so far, as [search.Run] would report it.
// Why it ended is not known, Resumed is 0, and Overhead is the time that the
// rounds of all runs took.
func (c *Contents) Result() *search.Result {
	s := c.About.Settings
	var proposals, named []search.Trial
	for _, t := range c.Trials {
		if t.Round > 0 {
			proposals = append(proposals, t)
		}
		if t.Name != "" && t.State != search.Running {
			named = append(named, t)
		}
	}
	slices.SortStableFunc(proposals, func(a, b search.Trial) int { return cmp.Compare(a.Round, b.Round) })
	best := bestFirst(proposals)
	r := &search.Result{
		Tuned: bestFirst(c.of(search.Tuning)), Finals: bestFirst(c.of(search.Final)),
		Recipe: search.Recipe{Training: s.Training, Seed: s.Seed, LearningRate: s.LearningRate, L2: s.L2, N3: s.N3},
		Best:   best[:min(len(best), s.I)], Named: named, Trials: c.Trials, Rounds: c.Rounds, Model: c.Best,
		Complete: len(best),
	}
	if searched := c.of(search.Searching); len(searched) > 0 { // the recipe may come from the tuning stage
		r.Recipe = searched[0].Recipe
	}
	for _, t := range proposals {
		if t.State != search.Running {
			r.Trained++
		}
	}
	for _, t := range c.Trials {
		r.Seconds += t.Seconds
	}
	for _, round := range c.Rounds {
		r.Overhead += round.Seconds
	}
	return r
}

// of returns the trials of a stage.
func (c *Contents) of(stage search.Stage) []search.Trial {
	return slices.DeleteFunc(slices.Clone(c.Trials), func(t search.Trial) bool { return t.Stage != stage })
}

// bestFirst returns the complete trials by validation MRR, and equals as they stand.
func bestFirst(trials []search.Trial) []search.Trial {
	complete := slices.DeleteFunc(slices.Clone(trials), func(t search.Trial) bool { return t.State != search.Complete })
	slices.SortStableFunc(complete, func(a, b search.Trial) int { return cmp.Compare(b.MRR(), a.MRR()) })
	return complete
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
	// FinalLeft studies have trials of the last stage left.
	FinalLeft Status = "final stage left"
)

// Status compares the trials with the budget of the last run.
func (c *Contents) Status() Status {
	r, final := c.Result(), c.About.Settings.Final
	finals := 0
	for _, t := range c.of(search.Final) {
		if t.State != search.Running {
			finals++
		}
	}
	switch {
	case r.Trained < c.About.Settings.Budget:
		return BudgetLeft
	case final != nil && finals < final.Trials && r.Complete > 0:
		return FinalLeft
	}
	return Finished
}
