package plot

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
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
		count := rapid.IntRange(4, 10).Draw(t, "count")
		var axis plot.Axis
		setRange(&axis, values)
		for _, value := range values {
			if !(axis.Min < value && value < axis.Max) {
				t.Fatalf("%v is not inside %v to %v", value, axis.Min, axis.Max)
			}
		}
		ticks := ticker{count, false}.Ticks(axis.Min, axis.Max)
		if len(ticks) < 1 || len(ticks) > count+1 {
			t.Fatalf("%d ticks, want about %d: %v", len(ticks), count, ticks)
		}
		size := axis.Max - axis.Min
		for n, tick := range ticks {
			if part := (tick.Value - axis.Min) / size; part < -1e-9 || part > 1+1e-9 {
				t.Errorf("tick %v is not in %v to %v", tick, axis.Min, axis.Max)
			}
			read, err := strconv.ParseFloat(strings.ReplaceAll(tick.Label, "−", "-"), 64)
			if err != nil || math.Abs(read-tick.Value) > 1e-6*size {
				t.Errorf("tick %v has the label %q", tick.Value, tick.Label)
			}
			if n > 0 && tick.Label == ticks[n-1].Label {
				t.Errorf("two ticks have the label %q", tick.Label)
			}
		}
	})
}

func TestTicksOfCountsAreWhole(t *testing.T) {
	for last := 1.0; last < 3000; last = math.Ceil(1.3 * last) {
		var axis plot.Axis
		setRange(&axis, []float64{1, last})
		ticks := ticker{8, true}.Ticks(axis.Min, axis.Max)
		if len(ticks) == 0 {
			t.Errorf("no ticks from 1 to %v", last)
		}
		for _, tick := range ticks {
			if _, err := strconv.Atoi(tick.Label); err != nil {
				t.Errorf("from 1 to %v there is a tick %q", last, tick.Label)
			}
		}
	}
}
