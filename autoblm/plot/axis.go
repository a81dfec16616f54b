package plot

import (
	"math"
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
	axis.Min, axis.Max = values[0], values[0]
	for _, value := range values[1:] {
		axis.Min, axis.Max = min(axis.Min, value), max(axis.Max, value)
	}
	size, margin := max(-axis.Min, axis.Max), 0.05*(axis.Max-axis.Min)
	switch {
	case size < smallest:
		margin = 1
	case axis.Max-axis.Min < 1e-9*size:
		margin = 0.1 * size
	}
	axis.Min, axis.Max = axis.Min-margin, axis.Max+margin
}

// ticker places ticks at round numbers: about count of them, and only whole numbers if whole is
// set. The ticks of gonum/plot are three at most, and their labels may be equal.
type ticker struct {
	count int
	whole bool
}

// Ticks returns the ticks of a range.
func (t ticker) Ticks(low, high float64) []plot.Tick {
	step := roundUp((high - low) / float64(t.count))
	if t.whole {
		step = max(1, step)
	}
	first := math.Ceil(low / step)
	count := int(math.Floor(high/step)-first) + 1
	if count < 1 && !t.whole { // the range lies between two multiples of step
		return ticker{t.count + 1, t.whole}.Ticks(low, high)
	}
	ticks := make([]plot.Tick, count)
	for n := range ticks {
		value := (first + float64(n)) * step
		ticks[n] = plot.Tick{Value: value, Label: tickLabel(value, step)}
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

// tickLabel formats a multiple of step with the digits that step needs, and a true minus sign.
func tickLabel(value, step float64) string {
	stepPower := int(math.Floor(math.Log10(step)))
	format, decimals := byte('f'), -stepPower
	switch {
	case value == 0 && stepPower < -5:
		decimals = 0
	case stepPower < -5 || math.Abs(value) >= 1e7:
		format, decimals = 'e', int(math.Floor(math.Log10(math.Abs(value))))-stepPower
	}
	label := strconv.FormatFloat(value, format, max(0, decimals), 64)
	return strings.ReplaceAll(label, "-", "−")
}
