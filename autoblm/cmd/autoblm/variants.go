package main

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
)

// variantFlags choose the loss of a training for completion, an encoder, and settings of neural models.
type variantFlags struct {
	LossFunction kge.LossFunction    `embed:"" group:"Training"`
	Sampling     kge.Sampling        `embed:"" group:"Training"`
	Adversarial  kge.SelfAdversarial `embed:"" group:"Training"`
	Convolution  kge.Convolution     `embed:"" group:"Training"`
	Walks        kge.Walks           `embed:"" group:"Training"`
	Encoding     kge.Encoding        `embed:"" group:"Training"`
	Message      structureFlag       `group:"Training" placeholder:"STRUCTURE" needs:"encoder" own:"Structure of the messages." help:"Structure of the messages of the encoder blm, as for structure check. Default: that of the model; a search proposes it too."`
}

// fromLayer returns the layer that sets the flags to the settings of a recipe.
func (f *variantFlags) fromLayer(s *kge.Settings) func() {
	return func() {
		f.LossFunction, f.Sampling, f.Adversarial = s.LossFunction, s.Sampling, s.SelfAdversarial
		f.Convolution, f.Walks = s.Convolution, s.Walks
		f.Encoding, f.Message.Structure = s.Encoding, s.Message
	}
}

// samplingLayer returns the layer with the defaults of negative sampling on triples, unless the recipe
// has its own.
func (f *variantFlags) samplingLayer(model *form.Form, s *kge.Settings) func() {
	return func() {
		if f.Sampling.Negatives > 0 && s.Negatives == 0 {
			f.Sampling.Margin = query.DefaultSampling(*model, s.Dim).Margin
			f.Adversarial.AdversarialTemperature = 1
		}
	}
}

// binaryLayer returns the layer with what binary cross entropy needs, unless the recipe has it.
func (f *variantFlags) binaryLayer(r *kge.Recipe) func() {
	return func() {
		if f.LossFunction.Loss != kge.BCE || r.Training.Loss == kge.BCE {
			return
		}
		f.LossFunction.LabelSmoothing = kge.DefaultLabelSmoothing
		r.Weights = kge.Weights{Orthogonality: r.Orthogonality}
		t := &r.Training
		t.Reciprocal, t.AnswersPerQuery, t.SampledSoftmax, t.SparseGradients = true, 0, 0, 0
	}
}

// apply sets the settings to the flags.
func (f *variantFlags) apply(s *kge.Settings) {
	s.LossFunction, s.Sampling, s.SelfAdversarial = f.LossFunction, f.Sampling, f.Adversarial
	s.Convolution, s.Walks = f.Convolution, f.Walks
	s.Encoding = f.Encoding
	s.Message = f.Message.Structure
}
