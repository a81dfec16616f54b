package recipe

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestRSN compares the recipes of RSN with the authors' settings, and checks that one for any graph
// trains.
func TestRSN(t *testing.T) {
	for dataset, want := range map[string][]float64{ // entities drawn and learning rate
		"wn18": {10240, 1e-4}, "fb15k": {4983, 1e-4}, "fb15k-237": {4847, 1e-5},
	} {
		r := named(t, "rsn", dataset)
		s := r.Training
		if r.Form != form.RSN || s.Dim != 2*256 || s.Batch != 2048 || s.Epochs != 200 || s.ValidateEvery != 5 ||
			s.Patience != 3 || s.Optimizer != kge.Adam || s.Initial != kge.Xavier || s.WalkHops != 3 ||
			!s.Reciprocal || s.Dropout != .5 {
			t.Errorf("%s: %v, %+v", dataset, r.Form, s)
		}
		near(t, dataset, []float64{float64(s.SampledSoftmax), r.LearningRate}, want)
	}
	r := named(t, "rsn", "mine")
	require.NoError(t, r.Training.ValidateFor(r.Member(r.Structure, 1)))
}
