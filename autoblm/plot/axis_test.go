package plot

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTicksAreRoundAndInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-largest, largest), 1, 4).Draw(t, "values")
		if rapid.Bool().Draw(t, "close") {
			for n := range values {
				values[n] = math.Remainder(values[n], 3)
			}
		}
		wanted := rapid.IntRange(2, 10).Draw(t, "wanted")
		s := spanOf(values)
		for _, value := range values {
			if !(s.min < value && value < s.max) {
				t.Fatalf("%v is not inside %v", value, s)
			}
		}
		marks := s.ticks(wanted, false)
		if len(marks) < 1 || len(marks) > wanted+1 {
			t.Fatalf("%d ticks in %v, wanted about %d: %v", len(marks), s, wanted, marks)
		}
		for n, mark := range marks {
			if part := s.part(mark.value); part < -1e-9 || part > 1+1e-9 {
				t.Errorf("tick %v is not in %v", mark, s)
			}
			read, err := strconv.ParseFloat(strings.ReplaceAll(mark.label, "−", "-"), 64)
			if err != nil || math.Abs(read-mark.value) > 1e-6*(s.max-s.min) {
				t.Errorf("tick %v is labelled %q", mark.value, mark.label)
			}
			if n > 0 && mark.label == marks[n-1].label {
				t.Errorf("two ticks are labelled %q", mark.label)
			}
		}
	})
}

// TestASpanBetweenTwoTicks has no multiple of 0.5 in it.
func TestASpanBetweenTwoTicks(t *testing.T) {
	if marks := (span{2.001, 2.446}).ticks(2, false); len(marks) != 2 || marks[0].label != "2.2" || marks[1].label != "2.4" {
		t.Errorf("the ticks are %v", marks)
	}
}

func TestTicksOfCountsAreWhole(t *testing.T) {
	for last := 1.0; last < 3000; last = math.Ceil(1.3 * last) {
		marks := spanOf([]float64{1, last}).ticks(8, true)
		if len(marks) == 0 {
			t.Errorf("no ticks from 1 to %v", last)
		}
		for _, mark := range marks {
			if _, err := strconv.Atoi(mark.label); err != nil {
				t.Errorf("from 1 to %v there is a tick %q", last, mark.label)
			}
		}
	}
}
