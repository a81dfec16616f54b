package recipe

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
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
		{"compgcn-conve", "fb15k-237", kge.CompGCNCorr, 1, 100, 200, 128, 500, .3, .001, kge.BCE},
		{"compgcn-conve", "wn18rr", kge.CompGCNCorr, 1, 100, 200, 128, 500, .3, .001, kge.BCE},
		{"rgcn", "fb15k-237", kge.RGCN, 2, 500, 500, 5000, 200, .2, .01, kge.LogLoss},
		{"compgcn", "umls", kge.CompGCNCorr, 1, 64, 64, 512, 40, .2, .01, kge.LogLoss},
		{"rgcn", "umls", kge.RGCN, 1, 64, 64, 512, 60, .2, .01, kge.LogLoss},
	} {
		r := named(t, c.name, c.dataset)
		s := r.Training
		if s.Encoder != c.encoder || s.Depth() != c.layers || s.LearnedDim() != c.in ||
			s.Dim != c.out || s.Batch != c.batch || s.Epochs != c.epochs || s.Loss != c.loss ||
			s.EncoderDropout != c.dropout || r.LearningRate != c.rate || s.Optimizer != kge.Adam {
			t.Errorf("%s for %s: %+v", c.name, c.dataset, r)
		}
		decoder, isConvE := r.Form.ConvE()
		if isConvE {
			near(t, c.name, []float64{s.InputDropout, s.Dropout, s.FeatureDropout}, []float64{0, .3, .3})
			rows, columns := decoder.Maps(s.Dim)
			near(t, c.name, []float64{float64(rows), float64(columns)}, []float64{14, 14})
		} else if r.Structure != structure.MustParse("distmult") {
			t.Errorf("%s for %s decodes with %v", c.name, c.dataset, r.Structure)
		}
		if err := s.ValidateFor(r.Member(r.Structure, 1)); err != nil {
			t.Errorf("%s for %s: %v", c.name, c.dataset, err)
		}
	}
}

// TestForModel checks which models have a recipe for any graph, and that it trains them.
func TestForModel(t *testing.T) {
	for _, c := range []struct {
		form    form.Form
		encoder kge.Encoder
		want    string // "" for none
	}{
		{form.DefaultConvE.Form(), kge.NoEncoder, "conve"},
		{form.ConvE{Height: 8, Filters: 32, Size: 3}.Form(), kge.NoEncoder, "conve"},
		{form.CellFB15k237.Form(), kge.NoEncoder, "interstellar"},
		{form.Bilinear, kge.CompGCNSub, "compgcn"},
		{form.TransE, kge.BLM, "compgcn"},
		{form.Bilinear, kge.RGCN, "rgcn"},
		{form.RSN, kge.RGCN, "rgcn"},
		{form.Core(5), kge.CompGCNMult, "compgcn"},
		{form.RotatE, kge.NoEncoder, "rotate"},
		{form.Core(3), kge.NoEncoder, "tucker"},
		{form.Block(8), kge.NoEncoder, ""},
		{form.Bilinear, kge.NoEncoder, ""},
		{form.GQE, kge.NoEncoder, ""},
	} {
		r, found := ForModel(c.form, c.encoder)
		if r.Name != c.want || found != (c.want != "") || r.Dataset != "" {
			t.Errorf("%v with %v: %q for %q, %t", c.form, c.encoder, r.Name, r.Dataset, found)
		}
		if !found {
			continue
		}
		s := r.Training
		if s.Encoder = c.encoder; c.encoder == kge.BLM {
			s.Message = structure.MustParse("distmult")
		}
		decoder := r.Structure
		if c.form != form.Bilinear {
			decoder = structure.Structure{}
		}
		if err := s.ValidateFor(r.For(c.form, decoder, 1)); err != nil {
			t.Errorf("%v with %v: %v", c.form, c.encoder, err)
		}
	}
	for _, f := range []form.Form{form.Bilinear, form.TransE, form.CellWN18RR.Form(), form.Core(3)} {
		r := ForGraph(&datasets.Graph{}, f)
		if r.Form.Kind() != f.Kind() && r.Name != "basic" {
			t.Errorf("%v: %s", f, r.Name)
		}
		if err := f.CheckDim(r.Training.Dim); err != nil {
			t.Error(err)
		}
	}
}

// TestForTuning checks the kinds of training with which searches for settings begin.
func TestForTuning(t *testing.T) {
	reciprocal := func(s kge.Settings) bool { return s.Reciprocal }
	for _, c := range []struct {
		form form.Form
		loss kge.LossFunction
		has  func(s kge.Settings) bool
	}{
		{form.ConvE{Height: 8, Filters: 16, Size: 2}.Form(), bce, reciprocal},
		{form.Core(3), kge.LossFunction{}, reciprocal},
		{form.Tucker, kge.LossFunction{}, reciprocal},
		{form.RSN, kge.LossFunction{}, func(s kge.Settings) bool { return s.WalkHops == 3 && s.Reciprocal }},
		{form.CellFB15k237.Form(), kge.LossFunction{},
			func(s kge.Settings) bool { return s.WalkHops == 3 && s.MaxNorm == 0 }},
	} {
		r, found := ForTuning(c.form)
		s := r.Training
		_, isNeural := c.form.Neural()
		if !found || s.LossFunction != c.loss || isNeural != (s.Optimizer == kge.Adam) ||
			isNeural != (s.Initial == kge.Xavier) || !c.has(s) || r.Weights != (kge.Weights{}) {
			t.Errorf("%v: %+v", c.form, r)
		}
	}
	all := form.All()
	for _, name := range form.Names() {
		var f form.Form
		if f.UnmarshalText([]byte(name)) == nil { // not a name with a letter for a number
			all = append(all, f)
		}
	}
	neural := 0
	for _, f := range all {
		_, isNeural := f.Neural()
		if isNeural {
			neural++
		}
		r, found := ForTuning(f)
		if found != (isNeural || f.Partitions() > 0) {
			t.Errorf("%v begins with %+v", f, r)
		}
		if of, hasRecipe := ForModel(f, kge.NoEncoder); found && hasRecipe {
			s := of.Training
			s.Dim, s.Batch, s.Epochs = r.Training.Dim, r.Training.Batch, r.Training.Epochs
			s.ValidateEvery, s.Patience = r.Training.ValidateEvery, r.Training.Patience
			s.Decay, s.Dropout, s.InputDropout = r.Training.Decay, 0, 0
			if s != r.Training || of.LearningRate != r.LearningRate {
				t.Errorf("%v begins with %+v, and train with %+v", f, r, of.Recipe)
			}
		}
	}
	if neural < 4 { // ConvE, RSN and the two cells of Interstellar
		t.Errorf("%d neural forms", neural)
	}
}

var bce = kge.LossFunction{Loss: kge.BCE, LabelSmoothing: .1}
