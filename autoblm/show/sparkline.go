package show

import (
	"slices"
	"strings"
)

var heights = []rune("▁▂▃▄▅▆▇█")

// sparkline draws values as bars in a line of at most width characters. The lowest value has the
// lowest bar. With more values than characters, each character shows the last value of its share.
func sparkline(values []float64, width int) string {
	if len(values) == 0 {
		return ""
	}
	shown := make([]float64, min(width, len(values)))
	for i := range shown {
		shown[i] = values[(i+1)*len(values)/len(shown)-1]
	}
	low, high := slices.Min(shown), slices.Max(shown)
	var line strings.Builder
	for _, v := range shown {
		height := 0
		if high > low {
			height = int((v-low)/(high-low)*float64(len(heights)-1) + 0.5)
		}
		line.WriteRune(heights[height])
	}
	return line.String()
}
