package results

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// trained is what the table of precisions shows of the JSON of train.
type trained struct {
	Dataset   string        `json:"dataset"`
	Precision kge.Precision `json:"precision"`
	scored
	Members []scored `json:"members"`
}

// scored is a model of a training.
type scored struct {
	Seed uint64 `json:"seed"`
	Test struct {
		Both struct {
			MRR float64 `json:"mrr"`
		} `json:"both"`
	} `json:"test"`
}

// mrrs are the test MRRs by seed.
func (r trained) mrrs() map[uint64]float64 {
	all := map[uint64]float64{}
	for _, m := range append(r.Members, r.scored) {
		all[m.Seed] = m.Test.Both.MRR
	}
	return all
}

// precisions is the table of the same trainings in float32 and in bfloat16.
func precisions(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob("precision-*-bfloat16.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no results: %v", err)
	}
	var text strings.Builder
	text.WriteString("| command, and with bfloat16 | seeds | test MRR, float32 | bfloat16 | bfloat16 − float32 | of seeds 1 to 5 |\n|" + strings.Repeat(" --- |", 6) + "\n")
	var where []string
	for _, path := range paths {
		var exact, rounded trained
		m := read(t, strings.Replace(path, "-bfloat16", "-float32", 1), &exact)
		read(t, path, &rounded)
		if exact.Precision != kge.Float32 || rounded.Precision != kge.Bfloat16 || exact.Dataset != rounded.Dataset {
			t.Fatalf("%s and its fellow are no pair", path)
		}
		var differences, before, after []float64
		for seed := uint64(1); len(differences) < len(exact.mrrs()); seed++ {
			x, y := exact.mrrs()[seed], rounded.mrrs()[seed]
			if x == 0 || y == 0 {
				t.Fatalf("%s lacks seed %d", path, seed)
			}
			before, after, differences = append(before, x), append(after, y), append(differences, y-x)
		}
		fmt.Fprintf(&text, "| `%s` | %d | %s | %s | %s | %s |\n", m.Command, len(differences), varied(before), varied(after), difference(differences), difference(differences[:min(5, len(differences))]))
		where = withPlace(where, m)
	}
	fmt.Fprintf(&text, "\nMean and standard deviation over the seeds, and of the differences, seed by seed, the mean and its standard error; on %s.\n", strings.Join(where, "; "))
	return text.String()
}

// varied is a mean and its standard deviation, where that can be told.
func varied(x []float64) string {
	if len(x) == 1 {
		return fmt.Sprintf("%.4f", x[0])
	}
	return spread(x)
}

// difference is a mean and its standard error, where that can be told.
func difference(x []float64) string {
	if len(x) == 1 {
		return fmt.Sprintf("%+.4f", x[0])
	}
	mean, deviation := stat.MeanStdDev(x, nil)
	return fmt.Sprintf("%+.4f ± %.4f", mean, stat.StdErr(deviation, float64(len(x))))
}
