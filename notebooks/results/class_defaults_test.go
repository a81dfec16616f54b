package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"gonum.org/v1/gonum/stat"
)

// classSettings are what was varied to choose the defaults of classify train.
type classSettings struct {
	SeenBy  int     `json:"seen_by"`
	Dropout float64 `json:"dropout"`
	Dim     int     `json:"dim"`
}

// heldOut is what settings came to on a graph, in cross-validation alone.
type heldOut struct {
	classSettings
	Dataset string  `json:"dataset"`
	Nodes   int     `json:"nodes"`
	Share   float64 `json:"held_out"`
}

// judged are the means of settings over the graphs, with their standard errors.
type judged struct {
	classSettings
	shares          []float64 // by graph
	mean, uncertain float64
}

// classDefaults is the table by which the defaults of classify train were chosen, which are
// in bold there.
func classDefaults(t *testing.T) string {
	t.Helper()
	var all struct{ Tried []heldOut }
	m := read(t, "classes-defaults.json", &all)
	var graphs []string
	of := map[classSettings][]heldOut{}
	for _, one := range all.Tried {
		if !slices.Contains(graphs, one.Dataset) {
			graphs = append(graphs, one.Dataset)
		}
		of[one.classSettings] = append(of[one.classSettings], one)
	}
	var means []judged
	for settings, on := range of {
		one := judged{classSettings: settings}
		var variance float64
		for _, g := range on {
			one.shares = append(one.shares, g.Share)
			variance += g.Share * (1 - g.Share) / float64(g.Nodes)
		}
		one.mean, one.uncertain = stat.Mean(one.shares, nil), math.Sqrt(variance)/float64(len(on))
		means = append(means, one)
	}
	slices.SortFunc(means, func(a, b judged) int {
		return cmp.Or(a.SeenBy-b.SeenBy, a.Dim-b.Dim, cmp.Compare(a.Dropout, b.Dropout))
	})
	best := slices.MaxFunc(means, func(a, b judged) int { return cmp.Compare(a.mean, b.mean) })
	usual := classSettings{classify.Defaults(classify.BLM).SeenBy, classify.DefaultMember().Dropout, classify.Defaults(classify.BLM).Dim}
	first := classSettings{classify.Published(classify.BLM).SeenBy, usual.Dropout, classify.Published(classify.BLM).Dim}

	var text strings.Builder
	fmt.Fprintf(&text, "| `autoblm classify train --structure simple` | %s | mean |\n|%s\n", strings.Join(graphs, " | "), strings.Repeat(" --- |", 2+len(graphs)))
	for _, one := range means {
		bold := ""
		switch one.classSettings {
		case usual:
			bold = "**"
			if one.mean < best.mean-best.uncertain {
				t.Errorf("the default %+v is not within a standard error of %+v", usual, best)
			}
		case first:
			if one.mean >= best.mean-best.uncertain {
				t.Errorf("the first default %+v is as good as %+v, so it should have stayed", first, best)
			}
		}
		fmt.Fprintf(&text, "| `--seen-by %d --dropout %v --dim %d`", one.SeenBy, one.Dropout, one.Dim)
		for _, share := range append(one.shares, one.mean) {
			fmt.Fprintf(&text, " | %s%.1f%s", bold, 100*share, bold)
		}
		text.WriteString(" |\n")
	}
	fmt.Fprintf(&text, "\nHeld out, %%, in two divisions; the standard error of the best mean is %.1f. On %s.\n", 100*best.uncertain, m.Machine+", "+m.Date)
	return text.String()
}
