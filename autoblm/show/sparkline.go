package show

import "strings"

var heights = []rune("▁▂▃▄▅▆▇█")

// sparkline draws values as bars in a line of at most width characters, the
// lowest value as the lowest bar. Where there are more values than characters,
// each character is the last of its share.
func sparkline(values []float64, width int) string {
	if len(values) == 0 {
		return ""
	}
	width = min(width, len(values))
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	var line strings.Builder
	for i := range width {
		v := values[(i+1)*len(values)/width-1]
		height := 0
		if high > low {
			height = int((v-low)/(high-low)*float64(len(heights)-1) + 0.5)
		}
		line.WriteRune(heights[height])
	}
	return line.String()
}
