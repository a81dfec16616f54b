package plot

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Numbers above largest are not drawn, and numbers below smallest count as 0. The differences,
// margins and steps of all others are finite and positive.
const (
	largest  = 1e300
	smallest = 1e-290
)

// isDrawable reports whether a number can be drawn; NaN and infinities cannot.
func isDrawable(value float64) bool { return math.Abs(value) <= largest }

// setRange gives an axis the range of numbers with a margin, or 0 to 1 if there are none.
func setRange(axis *plot.Axis, values []float64) {
	axis.Min, axis.Max = 0, 1
	if len(values) == 0 {
		return
	}
	axis.Min, axis.Max = slices.Min(values), slices.Max(values)
	size, margin := max(-axis.Min, axis.Max), 0.05*(axis.Max-axis.Min)
	switch {
	case size < smallest:
		margin = 1
	case axis.Max-axis.Min < 1e-9*size:
		margin = 0.1 * size
	}
	axis.Min, axis.Max = axis.Min-margin, axis.Max+margin
}

// ticker places about count ticks, at least 4, at round numbers, and only at whole ones if whole is
// set. gonum/plot places three at most, and their labels may be equal.
type ticker struct {
	count int
	whole bool
}

// Ticks returns the ticks of a range.
func (t ticker) Ticks(low, high float64) (ticks []plot.Tick) {
	step := roundUp((high - low) / float64(t.count))
	if t.whole {
		step = max(1, step)
	}
	format, decimals := byte('f'), max(0, -int(math.Floor(math.Log10(step))))
	if decimals > 5 || max(-low, high) >= 1e7 {
		format, decimals = 'g', 12
	}
	first := math.Ceil(low / step)
	for n := range int(math.Floor(high/step)-first) + 1 {
		value := (first + float64(n)) * step
		label := strings.ReplaceAll(strconv.FormatFloat(value, format, decimals, 64), "-", "−")
		ticks = append(ticks, plot.Tick{Value: value, Label: label})
	}
	return ticks
}

// roundUp returns the smallest of 1, 2, 5, 10, … times a power of ten that is at least step.
func roundUp(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, digit := range []float64{1, 2, 5} {
		if digit*power >= step {
			return digit * power
		}
	}
	return 10 * power
}
