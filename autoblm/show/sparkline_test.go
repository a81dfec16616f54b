package show

import (
	"slices"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestSparkline(t *testing.T) {
	for _, c := range []struct {
		values []float64
		width  int
		want   string
	}{
		{nil, 5, ""},
		{[]float64{0.3}, 5, "▁"},
		{[]float64{2, 2, 2}, 5, "▁▁▁"},
		{[]float64{0, 1, 2, 3, 4, 5, 6, 7}, 8, "▁▂▃▄▅▆▇█"},
		{[]float64{7, 0}, 8, "█▁"},
		{[]float64{9, 0, 9, 7}, 2, "▁█"}, // each character is the last of two
	} {
		if got := sparkline(c.values, c.width); got != c.want {
			t.Errorf("%v in %d characters: %q, want %q", c.values, c.width, got, c.want)
		}
	}
}

// TestSparklineRises checks that increasing values rise to the top.
func TestSparklineRises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfNDistinct(rapid.Float64Range(0, 1), 2, 100, rapid.ID).Draw(t, "values")
		width := rapid.IntRange(2, 40).Draw(t, "width")
		slices.Sort(values)
		line := []rune(sparkline(values, width))
		if !slices.IsSorted(line) || line[len(line)-1] != '█' {
			t.Fatalf("%q", string(line))
		}
		if want := min(width, len(values)); utf8.RuneCountInString(string(line)) != want {
			t.Fatalf("%q has another width than %d", string(line), want)
		}
	})
}
