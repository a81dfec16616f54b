package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/record"
)

// columns is the format of a printed case.
const columns = "%-32s %10s %10s %10s %7s %6s %11s %6s %8s %6s\n"

// missing stands for a value that was not measured.
const missing = "–"

func header(w io.Writer) {
	fmt.Fprintf(w, columns, "", bfloat16s, float32s, "peer", "ratio", "goal", "to float32",
		"goal", "GFLOP/s", "limit")
}

// print prints a line for a case, and another one with further measurements.
func (t timing) print(w io.Writer) {
	cell := func(value float64, format string, values ...any) string {
		if value == 0 {
			return missing
		}
		return fmt.Sprintf(format, append(values, value)...)
	}
	fmt.Fprintf(w, columns, t.Name, duration(t.Ours[bfloat16s]), duration(t.Ours[float32s]),
		duration(t.Peers[t.Fastest]), cell(t.Ratio, "%.3f"), cell(t.Goal, "%.2f"),
		cell(t.RatioFloat32, "%.2f"), cell(t.GoalFloat32, "%.2f"),
		cell(t.GFLOPS, "%.0f"), cell(100*t.Share, "%.0f%%"))
	var more []string
	for _, name := range t.ranked() {
		more = append(more, name+" "+duration(t.Peers[name]))
	}
	for _, precision := range []string{bfloat16s, float32s} {
		if fresh := t.Fresh[precision]; len(fresh) > 0 {
			more = append(more, "untrained, "+precision+" "+duration(fresh))
		}
	}
	if t.Compile > 0 {
		more = append(more, fmt.Sprintf("compiled for %.1f s", t.Compile))
	}
	if len(more) > 0 {
		fmt.Fprintf(w, "    %s\n", strings.Join(more, "; "))
	}
}

// duration returns the median of seconds with three digits.
func duration(seconds []float64) string {
	if len(seconds) == 0 {
		return missing
	}
	return format.Milliseconds(record.Median(seconds))
}
