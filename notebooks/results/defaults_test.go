package results

import (
	"fmt"
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
}

// defaults is the table of settings by graph, with the best of each graph in bold.
func defaults(t *testing.T) string {
	t.Helper()
	var all []tried
	m := read(t, "defaults.json", &all)
	var settings, graphs []string
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
	fmt.Fprintf(&text, "| `autoblm train --structure complex` | %s |\n|%s\n", strings.Join(graphs, " | "), strings.Repeat(" --- |", 1+len(graphs)))
	for _, s := range settings {
		fmt.Fprintf(&text, "| `%s` |", s)
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
	fmt.Fprintf(&text, "\nValidation MRR, on %s.\n", m.Machine+", "+m.Date)
	return text.String()
}
