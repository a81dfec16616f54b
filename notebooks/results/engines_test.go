package results

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/record"
)

// engines is the table of the engines on the CPU, and what was compiled beside that.
func engines(t *testing.T, files fs.FS) string {
	t.Helper()
	const native = "native"
	var r struct {
		Cases []struct {
			Name      string               `json:"name"`
			Seconds   map[string][]float64 `json:"seconds"`
			Compiling map[string]float64   `json:"compiling"`
			Command   string               `json:"command"`
			Date      string               `json:"date"`
		} `json:"cases"`
	}
	m := readFrom(t, files, "engines-cpu.json", &r)
	var all []string // native, and then the others
	for _, c := range r.Cases {
		all = append(all, slices.Collect(maps.Keys(c.Seconds))...)
	}
	slices.Sort(all)
	all = slices.DeleteFunc(slices.Compact(all), func(name string) bool { return name == native })
	var text strings.Builder
	fmt.Fprintf(&text, "| what | native |")
	for _, name := range all {
		fmt.Fprintf(&text, " gomlx on %s | to native | compiled in |", name)
	}
	fmt.Fprintf(&text, "\n|%s\n", strings.Repeat(" --- |", 2+3*len(all)))
	var commands []string
	for _, c := range r.Cases {
		fmt.Fprintf(&text, "| %s | %s |", c.Name, duration(c.Seconds[native]))
		for _, name := range all {
			ratio := "–"
			if len(c.Seconds[name]) > 0 {
				ratio = fmt.Sprintf("%.1f", record.Median(c.Seconds[name])/record.Median(c.Seconds[native]))
			}
			fmt.Fprintf(&text, " %s | %s | %.1f s |", duration(c.Seconds[name]), ratio, c.Compiling[name])
		}
		text.WriteString("\n")
		if command := fmt.Sprintf("`%s`, %s", c.Command, c.Date); !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	fmt.Fprintf(&text, "\nMedians of runs in turns, in float32, on %s. %s.\n", m.Machine, strings.Join(commands, "; "))
	return text.String()
}
