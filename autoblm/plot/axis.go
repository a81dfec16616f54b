package plot

import (
	"math"
	"strconv"
	"strings"
)

// span is the range of numbers that an axis shows.
type span struct{ min, max float64 }

// Numbers beyond largest are not drawn, and those below smallest count as 0, so
// that differences, margins and steps stay finite and above 0.
const (
	largest  = 1e300
	smallest = 1e-290
)

// shown says whether a number can be drawn: diverged ones cannot.
func shown(value float64) bool { return math.Abs(value) <= largest }

// spanOf is the range of the given numbers with a margin, a range around them
// when they are all the same, 0 to 1 when there are none.
func spanOf(values []float64) span {
	if len(values) == 0 {
		return span{0, 1}
	}
	s := span{values[0], values[0]}
	for _, value := range values[1:] {
		s = s.with(value)
	}
	size := max(math.Abs(s.min), math.Abs(s.max))
	border := 0.05 * (s.max - s.min)
	switch {
	case size < smallest:
		border = 1
	case s.max-s.min < 1e-9*size:
		border = 0.1 * size
	}
	return span{s.min - border, s.max + border}
}

// with is the smallest span that has the number too.
func (s span) with(value float64) span { return span{min(s.min, value), max(s.max, value)} }

// part says how far along the span a number is: 0 at min, 1 at max.
func (s span) part(value float64) float64 { return (value - s.min) / (s.max - s.min) }

// tick is a mark on an axis.
type tick struct {
	value float64
	label string
}

// ticks are round numbers inside the span, at most wanted and one more of them,
// and only whole ones when whole is set.
func (s span) ticks(wanted int, whole bool) []tick {
	step := roundUp((s.max - s.min) / float64(wanted))
	if whole {
		step = max(1, step)
	}
	first := math.Ceil(s.min / step)
	count := int(math.Floor(s.max/step)-first) + 1
	if count < 1 && !whole { // a span below the step may lie between two multiples of it
		return s.ticks(wanted+1, whole)
	}
	marks := make([]tick, count)
	for n := range marks {
		value := (first + float64(n)) * step
		marks[n] = tick{value, tickLabel(value, step)}
	}
	return marks
}

// roundUp is the smallest of 1, 2, 5, 10, … times a power of ten that is not
// below step.
func roundUp(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, digit := range []float64{1, 2, 5} {
		if digit*power >= step {
			return digit * power
		}
	}
	return 10 * power
}

// tickLabel prints a multiple of step with the digits that step needs, and a
// true minus sign.
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
