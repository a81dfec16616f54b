package task

import (
	"cmp"
	"slices"
)

// BestFirst returns the complete trials, the highest score first; equal scores keep their order.
func BestFirst(trials []Trial) []Trial {
	complete := slices.DeleteFunc(slices.Clone(trials), func(t Trial) bool {
		return t.State != Complete
	})
	slices.SortStableFunc(complete, func(a, b Trial) int {
		return cmp.Compare(b.ScoreOrZero(), a.ScoreOrZero())
	})
	return complete
}

// InStage returns the trials of a stage.
func InStage(s Stage, trials []Trial) []Trial {
	return slices.DeleteFunc(slices.Clone(trials), func(t Trial) bool { return t.Stage != s })
}

// Finished counts the trials that ended. Diverged and lost trials count too.
func Finished(trials []Trial) int {
	n := 0
	for _, t := range trials {
		if t.State != Running {
			n++
		}
	}
	return n
}

// WhyLost returns the error of the first lost trial; "" without one.
func WhyLost(trials []Trial) string {
	for _, t := range trials {
		if t.State == Lost {
			return t.Error
		}
	}
	return ""
}
