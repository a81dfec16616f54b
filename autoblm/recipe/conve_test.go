package recipe

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// TestConvE compares the recipes of ConvE with the authors' command and defaults.
func TestConvE(t *testing.T) {
	for _, dataset := range []string{"wn18rr", "fb15k-237"} {
		r := named(t, "conve", dataset)
		s := r.Training
		if c, _ := r.Form.ConvE(); c != (form.ConvE{Height: 20, Filters: 32, Size: 3}) || s.Dim != 200 ||
			s.Batch != 128 || s.Epochs != 1000 || s.Optimizer != kge.Adam || s.Loss != kge.BCE {
			t.Errorf("%s: %v, %+v", dataset, r.Form, s)
		}
		near(t, dataset,
			[]float64{r.LearningRate, s.Decay, s.InputDropout, s.Dropout, s.FeatureDropout, s.LabelSmoothing},
			[]float64{.003, .995, .2, .3, .2, .1})
	}
}
