package recipe

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// TestInterstellar compares the recipes of Interstellar with the authors' commands and defaults.
func TestInterstellar(t *testing.T) {
	for dataset, want := range map[string]struct {
		model   string
		numbers []float64
	}{
		"wn18rr":    {"interstellar-wn18rr", []float64{.003093, .9876, .35}},
		"fb15k-237": {"interstellar-fb15k-237", []float64{.000634, .9824, .42}},
	} {
		r := named(t, "interstellar", dataset)
		s := r.Training
		if r.Form.String() != want.model || s.Dim != 2*256 || s.Batch != 2048 || s.Epochs != 50 ||
			s.Optimizer != kge.Adam || s.Initial != kge.Xavier || s.MaxNorm != 1 || s.WalkHops != 3 || s.Reciprocal {
			t.Errorf("%s: %v, %+v", dataset, r.Form, s)
		}
		near(t, dataset, []float64{r.LearningRate, s.Decay, s.Dropout}, want.numbers)
	}
}
