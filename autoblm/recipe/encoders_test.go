package recipe

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// TestEncoders compares the recipes of encoders with the authors' settings: layers, dimension of the
// inputs and outputs, share of dropped numbers, batch and learning rate.
func TestEncoders(t *testing.T) {
	for _, c := range []struct {
		name, dataset                  string
		encoder                        kge.Encoder
		layers, in, out, batch, epochs int
		dropout, rate                  float64
		loss                           kge.Loss
	}{
		{"compgcn", "fb15k-237", kge.CompGCNMult, 2, 100, 200, 128, 500, .3, .001, kge.BCE},
		{"compgcn", "wn18rr", kge.CompGCNMult, 2, 100, 200, 128, 500, .3, .001, kge.BCE},
		{"rgcn", "fb15k-237", kge.RGCN, 2, 500, 500, 5000, 200, .2, .01, kge.LogLoss},
		{"compgcn", "umls", kge.CompGCNCorr, 1, 64, 64, 512, 40, .2, .01, kge.LogLoss},
		{"rgcn", "umls", kge.RGCN, 1, 64, 64, 512, 60, .2, .01, kge.LogLoss},
	} {
		r := named(t, c.name, c.dataset)
		s := r.Training
		if s.Encoder != c.encoder || s.Depth() != c.layers || s.LearnedDim() != c.in ||
			s.Dim != c.out || s.Batch != c.batch || s.Epochs != c.epochs || s.Loss != c.loss ||
			s.EncoderDropout != c.dropout || r.LearningRate != c.rate || s.Optimizer != kge.Adam ||
			r.Structure != structure.MustParse("distmult") {
			t.Errorf("%s for %s: %+v", c.name, c.dataset, r)
		}
		if err := s.ValidateFor(r.Member(r.Structure, 1)); err != nil {
			t.Errorf("%s for %s: %v", c.name, c.dataset, err)
		}
	}
}
