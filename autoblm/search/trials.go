package search

import (
	"cmp"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// bestFirst returns the complete trials, the highest score first and equals in the
// order of their numbers.
func bestFirst(trials []task.Trial) []task.Trial {
	complete := slices.DeleteFunc(slices.Clone(trials), func(t task.Trial) bool { return t.State != task.Complete })
	slices.SortStableFunc(complete, func(a, b task.Trial) int { return cmp.Compare(b.ScoreOrZero(), a.ScoreOrZero()) })
	return complete
}

// Proposed are the trials of the rounds, round by round; of a structure that climbed rungs the
// one that went furthest, of those with a result.
func Proposed(trials []task.Trial) []task.Trial {
	var rounds []task.Trial
	onRungs := map[structure.Structure]int{}
	for _, t := range trials { // by number, in which they climb
		if t.Round == 0 {
			continue
		}
		if i, known := onRungs[t.Structure]; known {
			if t.State != task.Running {
				rounds[i] = t
			}
			continue
		}
		if t.Stage == task.HalvingRung {
			onRungs[t.Structure] = len(rounds)
		}
		rounds = append(rounds, t)
	}
	slices.SortStableFunc(rounds, func(a, b task.Trial) int { return cmp.Compare(a.Round, b.Round) })
	return rounds
}

func finished(trials []task.Trial) int {
	n := 0
	for _, t := range trials {
		if t.State != task.Running {
			n++
		}
	}
	return n
}

// of returns the trials of a stage.
func of(stage task.Stage, trials []task.Trial) []task.Trial {
	return slices.DeleteFunc(slices.Clone(trials), func(t task.Trial) bool { return t.Stage != stage })
}
