package recipe

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// TestTucker compares the recipes of TuckER with the authors' settings.
func TestTucker(t *testing.T) {
	for dataset, source := range map[string][5]float64{ // rate, decay, dropouts, label smoothing
		"fb15k":     {.003, .99, .2, .3, 0},
		"wn18":      {.005, .995, .2, .2, .1},
		"fb15k-237": {.0005, 1, .3, .5, .1},
		"wn18rr":    {.01, 1, .2, .3, .1},
	} {
		r := named(t, "tucker", dataset)
		s := r.Training
		if r.Form != form.Tucker || s.Dim != 200 || s.Batch != 128 || s.Epochs != 500 || !s.BatchNorm ||
			s.Optimizer != kge.Adam || s.Loss != kge.BCE || s.Patience != 0 {
			t.Errorf("%s: %v, %+v", dataset, r.Form, s)
		}
		near(t, dataset, []float64{r.LearningRate, s.Decay, s.InputDropout, s.Dropout, s.LabelSmoothing},
			source[:])
	}
}
