package search

import (
	"cmp"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// bestFirst returns the complete trials, the highest score first and equals in the
// order of their numbers.
func bestFirst(trials []task.Trial) []task.Trial {
	complete := slices.DeleteFunc(slices.Clone(trials), func(t task.Trial) bool { return t.State != task.Complete })
	slices.SortStableFunc(complete, func(a, b task.Trial) int { return cmp.Compare(b.ScoreOrZero(), a.ScoreOrZero()) })
	return complete
}

// proposed are the trials of the rounds, round by round.
func proposed(trials []task.Trial) []task.Trial {
	rounds := slices.DeleteFunc(slices.Clone(trials), func(t task.Trial) bool { return t.Round == 0 })
	slices.SortStableFunc(rounds, func(a, b task.Trial) int { return cmp.Compare(a.Round, b.Round) })
	return rounds
}
