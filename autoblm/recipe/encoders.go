package recipe

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// The families of encoders have one for benchmarks, with published settings, and one for any graph.
var (
	compGCN = family{
		name: "compgcn", model: "CompGCN with DistMult", reported: compGCNConvE.reported,
		about:  "CompGCN, an encoder, with DistMult (Vashishth et al., 2020)",
		source: "malllabiisc/CompGCN, README, DistMult with multiplication",
		note: "The authors' hidden layer has 150 numbers; here layers have the dimension of the model. " +
			compGCNNote,
		training: training(trainsCompGCN, func(s *kge.Settings) {
			s.Encoder, s.EncoderLayers = kge.CompGCNMult, 2
		}),
	}
	compGCNConvE = family{
		name: "compgcn-conve", model: "CompGCN with ConvE", reported: "the paper on CompGCN",
		form:   form.ConvE{Height: 10, Filters: 200, Size: 7}.Form(),
		about:  "CompGCN, an encoder, with ConvE, its best decoder (Vashishth et al., 2020)",
		source: "malllabiisc/CompGCN, run.py, its defaults",
		note: "Rows of the head and of the relation alternate in the authors' image; here the relation is " +
			"below. They drop numbers of maps, here whole maps. " + compGCNNote,
		training: training(trainsCompGCN, func(s *kge.Settings) {
			s.Encoder, s.EncoderLayers = kge.CompGCNCorr, 1
			s.Dropout, s.FeatureDropout = .3, .3
		}),
	}
	compGCNAnywhere = family{
		name:   compGCN.name,
		about:  "CompGCN with DistMult on a graph without published settings",
		source: "this project: one layer, a smaller dimension and log-loss",
		note:   bestNote,
		training: training(func(s *kge.Settings) {
			encoded(s, kge.Encoding{Encoder: kge.CompGCNCorr, EncoderDropout: .2})
			s.Reciprocal = true
		}),
	}
	rgcn = family{
		name: "rgcn", model: "R-GCN", reported: "their paper, which has .249 for an ensemble with DistMult",
		about:  "R-GCN, an encoder, with DistMult (Schlichtkrull et al., 2018)",
		source: "MichSchli/RelationPrediction, settings/gcn_basis.exp",
		note: "The authors learn binary cross entropy with ten negatives; here log-loss over all " +
			"entities. They encode half of the triples of a sample in a step; here half of all. They drop " +
			"messages of entities to themselves, here numbers after each layer, and clip gradients. " +
			bestNote,
		training: training(func(s *kge.Settings) {
			encoded(s, kge.Encoding{
				Encoder: kge.RGCN, EncoderLayers: 2, EncoderBases: 5, EdgeDropout: .5, EncoderDropout: .2,
			})
		}),
	}
	rgcnAnywhere = family{
		name:   rgcn.name,
		about:  "R-GCN with DistMult on a graph without published settings",
		source: "this project: one layer, a smaller dimension and reverse relations",
		note:   bestNote,
		training: training(func(s *kge.Settings) {
			encoded(s, kge.Encoding{
				Encoder: kge.RGCN, EncoderBases: 2, EdgeDropout: .3, EncoderDropout: .2,
			})
			s.Reciprocal = true
		}),
	}
)

const compGCNNote = "The authors drop numbers of summed messages, here triples. They scale a message by how " +
	"often both of its entities receive one; here by how often they send and receive. Their decoder adds " +
	"a bias for each entity, ours does not. " + bestNote

// trainsCompGCN applies the settings that recipes of CompGCN for benchmarks share.
func trainsCompGCN(s *kge.Settings) {
	encoded(s, kge.Encoding{EncoderDim: 100, EdgeDropout: .1, EncoderDropout: .3})
	s.Reciprocal = true
	s.LossFunction = kge.LossFunction{Loss: kge.BCE, LabelSmoothing: kge.DefaultLabelSmoothing}
}

// encoded applies the settings that recipes with encoders share.
func encoded(s *kge.Settings, e kge.Encoding) {
	s.Encoding, s.Optimizer, s.Initial = e, kge.Adam, kge.Xavier
}

// encoderRows returns the recipes of encoders.
func encoderRows() []row {
	const distMult = "distmult"
	compGCNSettings := settings{
		dim: 200, batch: 128, epochs: 500, validate: 1, patience: 25, rate: .001,
	}
	anywhere := func(epochs int) settings {
		return settings{dim: 64, batch: 512, epochs: epochs, validate: 5, patience: 4, rate: .01}
	}
	const rgcnDim = 500
	return []row{
		{family: compGCN, dataset: "wn18rr", structure: distMult, settings: compGCNSettings},
		{family: compGCN, dataset: "fb15k-237", structure: distMult, published: metrics{.338},
			settings: compGCNSettings},
		{family: compGCNConvE, dataset: "wn18rr", published: metrics{.479, .443, .546},
			settings: compGCNSettings},
		{family: compGCNConvE, dataset: "fb15k-237", published: metrics{.355, .264, .535},
			settings: compGCNSettings},
		{family: compGCNAnywhere, structure: distMult, settings: anywhere(40)},
		// Their penalty is the mean over coordinates, with weight .01.
		{family: rgcn, dataset: "fb15k-237", structure: distMult, published: metrics{.248},
			weights:  kge.Weights{L2: .01 / rgcnDim},
			settings: settings{dim: rgcnDim, batch: 5000, epochs: 200, validate: 5, patience: 5, rate: .01}},
		{family: rgcnAnywhere, structure: distMult, settings: anywhere(60)},
	}
}
