package recipe

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// convE is ConvE with the authors' command, in which both benchmarks have the same settings.
var (
	convE = family{
		name: "conve", model: "ConvE", reported: "the paper, July 2018", form: form.DefaultConvE.Form(),
		about:  "ConvE with binary cross entropy and three dropouts (Dettmers et al., 2018)",
		source: "TimDettmers/ConvE, README and main.py",
		note: "The authors add a bias to the scores of each entity, which their paper does not have. " +
			bestNote,
		training: training(trainsConvE),
	}
	convEAnywhere = family{
		name: convE.name, form: convE.form,
		about:    "ConvE on a graph without published settings",
		source:   "this project: the authors' settings with fewer epochs",
		note:     bestNote,
		training: training(trainsConvE, sampleValidation),
	}
	convESettings = settings{
		dim: 200, batch: 128, epochs: 1000, validate: 5, rate: .003, decay: .995,
		inputDropout: .2, dropout: .3,
	}
)

// trainsConvE applies the settings that recipes of ConvE share.
func trainsConvE(s *kge.Settings) {
	s.Reciprocal, s.Optimizer, s.Initial = true, kge.Adam, kge.Xavier
	s.LossFunction = kge.LossFunction{Loss: kge.BCE, LabelSmoothing: kge.DefaultLabelSmoothing}
	s.FeatureDropout = .2
}

// convERows returns the recipes of ConvE.
func convERows() []row {
	anywhere := convESettings
	anywhere.epochs, anywhere.patience = 60, 4
	return []row{
		{family: convE, dataset: "wn18rr", published: metrics{.43, .40, .52}, settings: convESettings,
			note: "Earlier versions of the paper, and those that quote them, report .46, from an evaluation " +
				"that the authors have corrected (TimDettmers/ConvE, issue 15)."},
		{family: convE, dataset: "fb15k-237", published: metrics{.325, .237, .501}, settings: convESettings},
		{family: convEAnywhere, settings: anywhere},
	}
}
