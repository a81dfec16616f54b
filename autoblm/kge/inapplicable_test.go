package kge_test

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// TestInapplicable checks which settings apply to models.
func TestInapplicable(t *testing.T) {
	complexNumbers, none := structure.MustParse("complex"), structure.Structure{}
	for _, c := range []struct {
		form      form.Form
		structure structure.Structure
		encoder   kge.Encoder
		with      string // some settings that apply
		without   string // some that do not
	}{
		{form.Bilinear, complexNumbers, kge.NoEncoder,
			"n3 n3-block dropout reciprocal translate relation-prediction ivr buckets encoder " +
				"edge-dropout message encoder-bases teacher-weight negatives margin loss label-smoothing",
			"walk-hops feature-dropout batch-norm orthogonality"},
		{form.TransE, none, kge.NoEncoder,
			"n3 negatives margin adversarial-temperature subsampling sampled-softmax encoder loss",
			"n3-block dropout products ivr translate batch-norm walk-hops feature-dropout " +
				"teacher-weight relation-prediction orthogonality"},
		{form.RotatE, none, kge.NoEncoder, "relation-rate negatives", "dropout"},
		{form.Core(2), none, kge.NoEncoder, "batch-norm orthogonality dropout ivr", "walk-hops translate"},
		{form.Block(8), none, kge.NoEncoder, "dropout products", "batch-norm ivr orthogonality"},
		{form.DefaultConvE.Form(), none, kge.NoEncoder,
			"feature-dropout input-dropout dropout loss label-smoothing reciprocal",
			"walk-hops products buckets sparse-gradients teacher-weight batch-norm"},
		{form.CellWN18RR.Form(), none, kge.NoEncoder, "walk-hops dropout input-dropout max-norm",
			"feature-dropout products buckets teacher-weight batch-norm"},
		{form.RSN, none, kge.NoEncoder, "walk-hops dropout sampled-softmax max-norm reciprocal",
			"input-dropout feature-dropout products negatives loss"},
		{form.Bilinear, complexNumbers, kge.CompGCNCorr,
			"encoder encoder-layers encoder-dropout edge-dropout reciprocal n3 relation-prediction ivr " +
				"teacher-weight",
			"encoder-bases message max-norm relation-rate buckets sparse-gradients"},
		{form.Bilinear, complexNumbers, kge.RGCN, "encoder-bases edge-dropout", "message"},
		{form.TransE, none, kge.BLM, "message negatives", "encoder-bases dropout"},
	} {
		got := kge.Inapplicable(c.form, c.structure, c.encoder)
		for name := range strings.FieldsSeq(c.with) {
			if got[name] {
				t.Errorf("%v with encoder %v: %s does not apply", c.form, c.encoder, name)
			}
		}
		for name := range strings.FieldsSeq(c.without) {
			if !got[name] {
				t.Errorf("%v with encoder %v: %s applies", c.form, c.encoder, name)
			}
		}
		for name := range strings.FieldsSeq("dim epochs optimizer init precision decay patience " +
			"plateau-patience plateau-factor frequency l2 max-steps") {
			if got[name] {
				t.Errorf("%v with encoder %v: %s does not apply", c.form, c.encoder, name)
			}
		}
	}
}
