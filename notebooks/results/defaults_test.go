package results

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// tried is a training by settings that might become the default.
type tried struct {
	Settings string    `json:"settings"`
	Dataset  string    `json:"dataset"`
	Valid    []float64 `json:"valid"` // MRR, by seed
	Test     []float64 `json:"test"`
	Epochs   []float64 `json:"epochs"`
	Seconds  []float64 `json:"seconds"`
}

// defaults is the table by which the settings of train were chosen.
func defaults(t *testing.T) string {
	t.Helper()
	text, _ := bySettings(t, "autoblm train --structure complex", "defaults.json")
	return text
}

// queryDefaults is that of query train, with what its settings come to.
func queryDefaults(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("queries-defaults-*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no results: %v", err)
	}
	text, all := bySettings(t, "autoblm query train --structure complex --hops 2", files...)
	text += "\n| no flags, on | seeds | test MRR | epochs | trained in |\n|" + strings.Repeat(" --- |", 5) + "\n"
	for _, one := range all {
		if one.Settings == "" {
			text += fmt.Sprintf("| %s | %d | %.3f | %.0f | %.0f s |\n", one.Dataset, len(one.Test), stat.Mean(one.Test, nil), stat.Mean(one.Epochs, nil), stat.Mean(one.Seconds, nil))
		}
	}
	return text
}

// bySettings is the table of settings by graph, with the best of each graph in bold, and what
// it is made of.
func bySettings(t *testing.T, command string, files ...string) (string, []tried) {
	t.Helper()
	var all []tried
	var settings, graphs, where []string
	for _, file := range files {
		var here []tried
		m := read(t, file, &here)
		all = append(all, here...)
		where = withPlace(where, m)
	}
	mrrs, best := map[[2]string]float64{}, map[string]float64{}
	for _, one := range all {
		if !slices.Contains(settings, one.Settings) {
			settings = append(settings, one.Settings)
		}
		if !slices.Contains(graphs, one.Dataset) {
			graphs = append(graphs, one.Dataset)
		}
		mrr := stat.Mean(one.Valid, nil)
		mrrs[[2]string{one.Settings, one.Dataset}] = mrr
		best[one.Dataset] = max(best[one.Dataset], mrr)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "| `%s` | %s |\n|%s\n", command, strings.Join(graphs, " | "), strings.Repeat(" --- |", 1+len(graphs)))
	for _, s := range settings {
		flags := "no flags"
		if s != "" {
			flags = "`" + s + "`"
		}
		fmt.Fprintf(&text, "| %s |", flags)
		for _, g := range graphs {
			switch mrr := mrrs[[2]string{s, g}]; {
			case mrr == 0:
				text.WriteString("  |")
			case mrr == best[g]:
				fmt.Fprintf(&text, " **%.3f** |", mrr)
			default:
				fmt.Fprintf(&text, " %.3f |", mrr)
			}
		}
		text.WriteString("\n")
	}
	fmt.Fprintf(&text, "\nValidation MRR, on %s.\n", strings.Join(where, "; "))
	return text.String(), all
}
