package kge

import "math"

// explosion is the ratio of a loss to that of a model that scores all answers alike from which on
// a training has diverged. The largest ratio in the recorded trainings is 5, at the start.
const explosion = 1000

// HasExploded reports whether a loss shows that a training has diverged: it is no number, or more
// than 1,000 times the loss of a model that scores all answers alike, at least 1.
func HasExploded(loss, alike float64) bool {
	return !(math.Abs(loss) <= explosion*max(1, alike)) // also if it is no number
}
