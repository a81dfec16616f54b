package recipe

import (
	"cmp"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// family holds what the recipes with one name share.
type family struct {
	name, about, source, note string
	model, reported           string // of the published metrics
	form                      form.Form
	training                  kge.Settings
}

// settings holds the values in which the recipes of a family differ.
type settings struct {
	dim, batch, epochs, validate, patience int
	rate, decay                            float64
	frequency, cooldown                    float64
	inputDropout, dropout                  float64
}

// metrics holds the published MRR, Hits@1 and Hits@10.
type metrics [3]float64

type row struct {
	family
	dataset string
	settings
	weights   kge.Weights
	published metrics
	structure string
	note      string // added to the note of the family
}

func (r row) recipe() Recipe {
	s := r.training
	s.Dim, s.Batch, s.Epochs = r.dim, r.batch, r.epochs
	s.ValidateEvery, s.Patience, s.Frequency = r.validate, r.patience, r.frequency
	s.Cooldown = r.cooldown
	s.InputDropout, s.Dropout = cmp.Or(r.inputDropout, s.InputDropout), cmp.Or(r.dropout, s.Dropout)
	if r.decay != 0 {
		s.Decay = r.decay
	}
	recipe := Recipe{
		Name: r.name, Dataset: r.dataset, About: r.about, Source: r.source,
		Note:   strings.TrimSpace(r.family.note + " " + r.note),
		Form:   r.form,
		Recipe: kge.Recipe{Training: s, LearningRate: r.rate, Weights: r.weights},
	}
	if r.structure != "" {
		recipe.Structure = structure.MustParse(r.structure)
	}
	if m := r.published; m != (metrics{}) {
		recipe.Published = &Published{
			Model: r.model, MRR: m[0], Hits1: m[1], Hits10: m[2], Source: r.reported,
		}
	}
	return recipe
}

// training returns the library's default settings with changes.
func training(changes ...func(s *kge.Settings)) kge.Settings {
	s := kge.DefaultSettings()
	for _, change := range changes {
		change(&s)
	}
	return s
}

// authors applies the settings that all programs of the paper's authors share.
func authors(s *kge.Settings) { s.Initial, s.MaxNorm = kge.Xavier, 1 }

// reciprocal applies the settings that kbc and the programs derived from it share.
func reciprocal(s *kge.Settings) { s.Reciprocal, s.InitScale = true, 1e-3 }

// sampling returns the settings of large graphs, with a number of sampled entities.
func sampling(entities int) kge.Settings {
	return training(func(s *kge.Settings) {
		reciprocal(s)
		s.SampledSoftmax, s.ValidateSample = entities, 4000
	})
}

// onlyCP is CP as a structure of two chunks: the first scores heads, the second tails.
const onlyCP = "0,1;0,0"

const (
	penaltyNote = "Their weight λ acts as λ divided by the batch size, " +
		"because a sum in their loss runs over pairs of triples."
	bestNote = "The best epoch by validation is kept."
	measured = "this project: chosen by validation, notebooks/results/defaults.json"
)

var (
	paper = family{
		name: "paper", model: "AutoBLM", reported: "the paper, link prediction, the row of AutoBLM",
		about:    "the final training of the conference version, with its structures",
		source:   "LARS-research/AutoSF, evaluate.py",
		note:     penaltyNote + " " + bestNote,
		training: training(authors),
	}
	paperSearch = family{
		name:     "paper-search",
		about:    "how the paper's search trains its candidates",
		source:   "LARS-research/AutoSF, AutoSF+/train.py",
		note:     penaltyNote + " For searches only: it has no structure.",
		training: training(authors),
	}
	n3 = family{
		name: "n3", model: "ComplEx", reported: "the same README",
		about:    "ComplEx with the nuclear 3-norm (Lacroix et al., 2018)",
		source:   "facebookresearch/kbc, README, the largest rank",
		note:     "The authors keep the last epoch; here the best one by validation is kept.",
		training: training(reciprocal),
	}
	dura = family{
		name: "dura", model: "ComplEx", reported: "the paper on DURA (Zhang et al., 2020)",
		about:    "ComplEx with DURA, products weighted three times as much as entities",
		source:   "MIRALab-USTC/KGE-DURA, README, ComplEx with DURA_W",
		note:     "The authors keep the last epoch; here the best one by validation is kept.",
		training: training(reciprocal),
	}
	duraCP = family{
		name: "dura-cp", model: "CP", reported: dura.reported,
		about:  "CP (an entity has one vector as head, one as tail) with DURA",
		source: "MIRALab-USTC/KGE-DURA, README, CP with DURA and DURA_W",
		note: dura.note + " They penalize the vector of an entity that a triple uses; " +
			"here both vectors, at half of the weight.",
		training: training(reciprocal),
	}
	rescal = family{
		name: "rescal", model: "RESCAL", reported: dura.reported, form: form.GQE,
		about:    "RESCAL (one matrix per relation) with DURA",
		source:   "MIRALab-USTC/KGE-DURA, README, RESCAL with DURA_RESCAL and DURA_RESCAL_W",
		note:     dura.note,
		training: training(func(s *kge.Settings) { s.Reciprocal, s.Initial = true, kge.XavierAll }),
	}
	rescalAnywhere = family{
		name: rescal.name, form: rescal.form,
		about:    "RESCAL with DURA (one matrix per relation), for a graph with few relations",
		source:   "this project: that for wn18rr with fewer epochs, from orthogonal matrices",
		note:     bestNote,
		training: training(func(s *kge.Settings) { s.Reciprocal, s.Initial = true, kge.Xavier }),
	}
	rp = family{
		name: "rp", model: "ComplEx", reported: "its README",
		about:  "ComplEx with N3 and relation prediction (Chen et al., 2021)",
		source: "facebookresearch/ssl-relation-prediction, doc/hyper-parameters",
		note: "The authors' program keeps the best epoch on the test triples, " +
			"so their metrics may be slightly high. Here the best epoch by validation is kept.",
		training: training(reciprocal),
	}
	ivr        = ivrFamily("ivr", "ComplEx")
	ivrQuatE   = ivrFamily("ivr-quate", "QuatE")
	ivrAnalogy = ivrFamily("ivr-analogy", "Analogy")
	small      = family{
		name: "small", model: "ConvE",
		reported: "TimDettmers/ConvE, README; another model with another loss",
		about:    "trains a small graph in less than a minute on two cores",
		source:   "this project: the best of a dozen settings; none are published for this loss",
		note:     bestNote,
		training: training(reciprocal),
	}
	smallSearch = family{
		name:     "small-search",
		about:    "searches a small graph in less than a minute on two cores",
		source:   "this project: small, with a smaller dimension and half the epochs",
		training: training(reciprocal),
	}

	// For any graph:
	defaultAnywhere = family{
		name:     "default",
		about:    "structures on a graph that is not small, dense or large, without --recipe",
		source:   measured,
		note:     bestNote,
		training: training(reciprocal),
	}
	defaultSmall = family{
		name:     "default-small",
		about:    "structures on a graph of at most 250 entities, without --recipe",
		source:   measured,
		note:     bestNote,
		training: training(reciprocal),
	}
	dense = family{
		name:   Dense,
		about:  "structures on a graph of more than 100,000 triples, without --recipe",
		source: "this project: faster steps that lose nothing, docs/results-log.md",
		note:   bestNote,
		training: training(func(s *kge.Settings) {
			reciprocal(s)
			s.AnswersPerQuery, s.SparseGradients = 16, 256
		}),
	}
	large = family{
		name:     Large,
		about:    "structures on a graph of more than 30,000 entities, without --recipe",
		source:   "this project: default, among sampled entities as on WN18RR, docs/results-log.md",
		note:     bestNote,
		training: sampling(2048),
	}
	huge = family{
		name:     Huge,
		about:    "structures on a graph of more than 100,000 entities, without --recipe",
		source:   "this project: chosen by validation on a graph of packages, docs/results-log.md",
		note:     bestNote,
		training: sampling(512),
	}
	vast = family{
		name:     Vast,
		about:    "structures on a graph of more than 500,000 entities, without --recipe",
		source:   "this project: chosen by validation on two graphs of its size, docs/results-log.md",
		note:     bestNote,
		training: sampling(256),
	}
	basic = family{
		name:     "basic",
		about:    "small settings without tuning, penalty or validation",
		source:   "this project",
		training: kge.DefaultSettings(),
	}
	unknown = family{
		name:     paper.name,
		about:    "the defaults of the authors' program, for graphs without settings of their own",
		source:   paper.source,
		note:     paper.note,
		training: paper.training,
	}
)

// Weights, in this project's conventions.

func relations(lambda float64, batch int) kge.Weights {
	return kge.Weights{RelationL2: lambda / float64(batch)}
}

func n3Weight(weight float64) kge.Weights { return kge.Weights{N3: weight} }

// n3ByFrequency returns a weight of N3 that follows the square root of the frequency of a row.
func n3ByFrequency(weight float64) kge.Weights {
	return kge.Weights{N3: weight, PenaltyFrequency: .5}
}

// duraWeights returns the weights of DURA: 2λ for both where the authors have λ for both
// (DURA_RESCAL), λ and 3λ where they have λ/2 and 3λ/2 (DURA_W), and 4λ and λ where they have 2λ and
// λ/2 (DURA_RESCAL_W). See the package comment.
func duraWeights(entities, products float64) kge.Weights {
	return kge.Weights{EntityL2: entities, Products: products}
}

// complexN3 returns the weight of N3 on the moduli of complex numbers, as in kbc.
func complexN3(weight float64) kge.Weights { return kge.Weights{N3: weight, N3Block: 2} }

// withPrediction returns weights with one of relation prediction.
func withPrediction(w kge.Weights, prediction float64) kge.Weights {
	w.RelationPrediction = prediction
	return w
}

// table lists all recipes.
func table() []row {
	return append([]row{
		defaultRow, defaultSmallRow,
		denseRow, largeRow, hugeRow, vastRow, basicRow,

		{family: paper, dataset: "wn18", published: metrics{.952, .947, .961},
			structure: "0,2,-2,1;3,0,2,0;-3,3,0,-1;4,0,-4,0", weights: relations(3.245e-4, 256),
			settings: settings{dim: 1024, batch: 256, epochs: 400, validate: 20, rate: .109, decay: .991}},
		{family: paper, dataset: "fb15k", published: metrics{.853, .821, .910},
			structure: "0,2,0,1;3,0,2,0;0,3,0,0;4,0,0,0", weights: relations(3.49e-5, 256),
			settings: settings{dim: 2048, batch: 256, epochs: 700, validate: 50, rate: .704, decay: .991}},
		{family: paper, dataset: "wn18rr", published: metrics{.490, .451, .567},
			structure: "4,1,0,0;2,4,0,-1;0,0,3,-2;0,-2,-1,4", weights: relations(5.92e-5, 512),
			settings: settings{dim: 512, batch: 512, epochs: 300, validate: 20, rate: .471, decay: .99}},
		{family: paper, dataset: "fb15k-237", published: metrics{.360, .267, .552},
			structure: "0,0,1,0;0,2,0,0;0,0,0,3;4,0,0,0", weights: relations(.00252, 512),
			settings: settings{dim: 2048, batch: 512, epochs: 500, validate: 25, rate: .178, decay: .991}},
		{family: paper, dataset: "yago3-10", published: metrics{.571, .501, .715},
			structure: "1,0,0,0;0,2,0,-3;0,0,3,0;0,-2,0,4", weights: relations(2.178e-4, 2048),
			settings: settings{dim: 1024, batch: 2048, epochs: 400, validate: 20, rate: .9514, decay: .991}},
		{family: unknown, structure: "complex", weights: relations(.4, 4096),
			settings: settings{dim: 256, batch: 4096, epochs: 300, validate: 10, rate: .7}},

		{family: paperSearch, dataset: "wn18", weights: relations(.001337, 2048),
			settings: settings{dim: 64, batch: 2048, epochs: 60, rate: .294506}},
		{family: paperSearch, dataset: "fb15k", weights: relations(1.3e-5, 1024),
			settings: settings{dim: 64, batch: 1024, epochs: 100, rate: .173476}},
		{family: paperSearch, dataset: "wn18rr", weights: relations(5e-5, 128),
			settings: settings{dim: 64, batch: 128, epochs: 50, rate: .211797}},
		{family: paperSearch, dataset: "fb15k-237", weights: relations(.003383, 1024),
			settings: settings{dim: 64, batch: 1024, epochs: 50, rate: .18821}},
		{family: paperSearch, dataset: "yago3-10", weights: relations(.000364, 256),
			settings: settings{dim: 32, batch: 256, epochs: 50, rate: .201078}},

		{family: n3, dataset: "wn18", structure: "complex", published: metrics{.95, .94, .96},
			weights:  complexN3(.1),
			settings: settings{dim: 4000, batch: 500, epochs: 20, validate: 5, rate: .1},
			note:     "d 200 reaches about the same MRR."},
		{family: n3, dataset: "fb15k", structure: "complex", published: metrics{.86, .83, .91},
			weights:  complexN3(5e-3),
			settings: settings{dim: 4000, batch: 50, epochs: 200, validate: 10, rate: .01},
			note:     "Much faster, with .84, .80 and .91: d 1000, batch 500, lr 0.1, n3 0.02, 100 epochs."},
		{family: n3, dataset: "wn18rr", structure: "complex", published: metrics{.49, .44, .58},
			weights:  complexN3(.2),
			settings: settings{dim: 4000, batch: 50, epochs: 100, validate: 5, rate: .1},
			note:     "d 1000 reaches about the same."},
		{family: n3, dataset: "fb15k-237", structure: "complex", published: metrics{.37, .27, .56},
			weights:  complexN3(.1),
			settings: settings{dim: 2000, batch: 500, epochs: 100, validate: 5, rate: .1},
			note:     "Their settings for rank 1000: rank 2000 reaches no more."},
		{family: n3, dataset: "yago3-10", structure: "complex", published: metrics{.58, .50, .71},
			weights:  complexN3(.01),
			settings: settings{dim: 2000, batch: 500, epochs: 100, validate: 5, rate: .1}},

		{family: dura, dataset: "wn18rr", structure: "complex", published: metrics{.491, .449, .571},
			weights:  duraWeights(.1, .3),
			settings: settings{dim: 4000, batch: 50, epochs: 50, validate: 5, rate: .1, frequency: .9}},
		{family: dura, dataset: "fb15k-237", structure: "complex", published: metrics{.371, .276, .560},
			weights:  duraWeights(.05, .15),
			settings: settings{dim: 4000, batch: 50, epochs: 200, validate: 5, rate: .1}},
		{family: dura, dataset: "yago3-10", structure: "complex", published: metrics{.584, .511, .713},
			weights:  duraWeights(.005, .015),
			settings: settings{dim: 2000, batch: 500, epochs: 200, validate: 5, rate: .1}},

		{family: duraCP, dataset: "wn18rr", structure: onlyCP, published: metrics{.478},
			weights:  duraWeights(.1, .2),
			settings: settings{dim: 4000, batch: 50, epochs: 200, validate: 5, rate: .1, frequency: .9}},
		{family: duraCP, dataset: "fb15k-237", structure: onlyCP, published: metrics{.367},
			weights:  duraWeights(.025, .15),
			settings: settings{dim: 4000, batch: 50, epochs: 200, validate: 5, rate: .1}},
		{family: duraCP, dataset: "yago3-10", structure: onlyCP, published: metrics{.579},
			weights:  duraWeights(.0025, .015),
			settings: settings{dim: 2000, batch: 500, epochs: 200, validate: 5, rate: .1, frequency: .9}},

		{family: rescal, dataset: "wn18rr", published: metrics{.498, .455, .577},
			weights:  duraWeights(.2, .2),
			settings: settings{dim: 256, batch: 512, epochs: 200, validate: 5, rate: .1, frequency: .9}},
		{family: rescal, dataset: "fb15k-237", published: metrics{.368, .276, .550},
			weights:  duraWeights(.1, .1),
			settings: settings{dim: 512, batch: 256, epochs: 200, validate: 5, rate: .1}},
		{family: rescal, dataset: "yago3-10", published: metrics{.579, .505, .712},
			weights:  duraWeights(.02, .005),
			settings: settings{dim: 512, batch: 512, epochs: 200, validate: 5, rate: .1, frequency: .9}},
		{family: rescalAnywhere, weights: duraWeights(.2, .2),
			settings: settings{dim: 256, batch: 512, epochs: 60, validate: 5, patience: 3, rate: .1}},

		{family: rp, dataset: "wn18rr", structure: "complex", published: metrics{.488, .443, .578},
			weights:  withPrediction(complexN3(.2), .05),
			settings: settings{dim: 2000, batch: 50, epochs: 500, validate: 5, rate: .1}},
		{family: rp, dataset: "fb15k-237", structure: "complex", published: metrics{.388, .298, .568},
			weights:  withPrediction(complexN3(.1), 4),
			settings: settings{dim: 2000, batch: 500, epochs: 500, validate: 5, rate: .1},
			note:     "The command in their README has 100 epochs."},

		{family: kgbenchWN18RR, dataset: "wn18rr", structure: "complex",
			published: metrics{.4885, .4489, .5592},
			weights:   withPrediction(ofAllRows(1e-4, 40559, 11), .08730111582385243),
			settings: settings{dim: 256, batch: 1024, epochs: 400, validate: 5, patience: 10,
				rate: .47262502000323753},
			note: "They penalize all embeddings in each step; here those that are used, on average alike."},
		{family: kgbenchFB15k237, dataset: "fb15k-237", structure: "complex",
			published: metrics{.3668, .2764, .5493},
			weights: withPrediction(kge.Weights{EntityN3: 4.1587126671969165e-06 / 3,
				RelationN3: 1e-4 / 3}, .8272480164786761/2),
			settings: settings{dim: 1024, batch: 512, epochs: 400, validate: 5, patience: 10,
				rate: .39311839834374207},
			note: "They predict relations in one direction; here in both, at half of the weight."},

		{family: metaSD, dataset: "wn18rr", structure: "complex", weights: duraWeights(.1, .3),
			settings: settings{dim: 4000, batch: 500, epochs: 300, validate: 5, rate: .1, frequency: .9},
			note:     "It has no relation prediction on this graph."},
		{family: metaSD, dataset: "fb15k-237", structure: "complex",
			weights:  withPrediction(duraWeights(.05, .15), 4),
			settings: settings{dim: 4000, batch: 2500, epochs: 300, validate: 5, rate: .1},
			note:     "Published MRR with self-distillation: .391."},

		{family: bique, dataset: "wn18rr", structure: "bique", weights: biqueWeights(.15),
			settings: settings{dim: 1024, batch: 150, epochs: 200, validate: 5, rate: .1, frequency: .9}},
		{family: bique, dataset: "fb15k-237", structure: "bique", weights: biqueWeights(.07),
			published: metrics{.365},
			settings:  settings{dim: 1024, batch: 250, epochs: 300, validate: 5, rate: .1}},
		{family: bique, dataset: "yago3-10", structure: "bique", weights: biqueWeights(.005),
			published: metrics{.581},
			settings:  settings{dim: 1024, batch: 500, epochs: 200, validate: 5, rate: .1}},

		{family: ivr, dataset: "wn18rr", structure: complexNumbers, weights: ivrWeights(3, .05, .07),
			settings: ivrSettings, published: metrics{.494}},
		{family: ivr, dataset: "fb15k-237", structure: complexNumbers,
			weights: ivrWeights(2.25, .005, .05), settings: ivrSettings, published: metrics{.370}},
		{family: ivr, dataset: "yago3-10", structure: complexNumbers,
			weights: ivrWeights(2.25, .0005, .007), settings: ivrSettings.with(2000),
			published: metrics{.586}},
		{family: ivrQuatE, dataset: "wn18rr", structure: "quate", weights: ivrWeights(3, .07, .03),
			settings: ivrSettings},
		{family: ivrQuatE, dataset: "fb15k-237", structure: "quate",
			weights: ivrWeights(2.25, .005, .05), settings: ivrSettings},
		{family: ivrQuatE, dataset: "yago3-10", structure: "quate",
			weights: ivrWeights(2.25, .0005, .005), settings: ivrSettings.with(2000)},
		{family: ivrAnalogy, dataset: "wn18rr", structure: "analogy", weights: ivrWeights(3, .003, .07),
			settings: ivrSettings},
		{family: ivrAnalogy, dataset: "fb15k-237", structure: "analogy",
			weights: ivrWeights(2.25, .005, .07), settings: ivrSettings},
		{family: ivrAnalogy, dataset: "yago3-10", structure: "analogy",
			weights: ivrWeights(2.25, .0007, .007), settings: ivrSettings.with(2000)},

		{family: ivrTucker, dataset: "wn18rr", weights: ivrWeights(2, .01, .03),
			settings: tuckerSettings, published: metrics{.501}},
		{family: ivrTucker, dataset: "fb15k-237", weights: ivrWeights(2, .003, .01),
			settings: tuckerSettings, published: metrics{.368}},
		{family: ivrTucker, dataset: "yago3-10", weights: ivrWeights(2, .0005, .003),
			settings: tuckerSettings},

		{family: binaryTucker(.1), dataset: "wn18rr", published: metrics{.470, .443, .526},
			settings: binaryTuckerSettings(.01, 1, .2, .3), note: smallRelations},
		{family: binaryTucker(.1), dataset: "fb15k-237", published: metrics{.358, .266, .544},
			settings: binaryTuckerSettings(5e-4, 1, .3, .5)},
		{family: binaryTucker(.1), dataset: "wn18", published: metrics{.953, .949, .958},
			settings: binaryTuckerSettings(.005, .995, .2, .2), note: smallRelations},
		{family: binaryTucker(0), dataset: "fb15k", published: metrics{.795, .741, .892},
			settings: binaryTuckerSettings(.003, .99, .2, .3)},
		{family: tuckerAnywhere,
			settings: settings{dim: 64, batch: 256, epochs: 60, validate: 5, patience: 4, rate: .1}},

		{family: meim(3), dataset: "wn18rr", published: metrics{.499, .458, .577},
			weights:  kge.Weights{Orthogonality: 2 * .1},
			settings: meimSettings(300, .71, .67, .99775),
			note: "The authors learn all answers of a query as one target, and also push the norms of " +
				"relations towards 1."},
		{family: meim(3), dataset: "fb15k-237", published: metrics{.369, .274, .557},
			settings: meimSettings(300, .66, .67, .99775), note: amsgradNote},
		{family: meim(5), dataset: "yago3-10", published: metrics{.585, .514, .716},
			weights:  kge.Weights{Orthogonality: 2 * 1e-3},
			settings: meimSettings(500, .1, .15, .995), note: amsgradNote},

		{family: small, dataset: "umls", structure: "complex", published: metrics{.94, .92, .99},
			weights: n3Weight(.02), settings: smallSettings},
		{family: small, dataset: "kinship", structure: "complex", published: metrics{.83, .73, .98},
			weights: n3Weight(.02), settings: smallSettings},
		{family: small, dataset: "nations", structure: "complex", published: metrics{.82, .72, 1},
			weights: n3Weight(.02), settings: smallSettings},
		{family: small, structure: "complex", weights: n3Weight(.02), settings: smallSettings},

		{family: smallSearch, dataset: "umls", weights: n3Weight(.02), settings: smallSearchSettings},
		{family: smallSearch, dataset: "kinship", weights: n3Weight(.02), settings: smallSearchSettings},
		{family: smallSearch, dataset: "nations", weights: n3Weight(.02), settings: smallSearchSettings},
	}, slices.Concat(distanceRows(), ogbRows(), convERows(), encoderRows(),
		interstellarRows(), rsnRows())...)
}

var (
	defaultRow = row{
		family: defaultAnywhere, structure: "complex", weights: n3Weight(.1),
		settings: defaultSettings,
	}
	defaultSmallRow = row{
		family: defaultSmall, structure: "complex", weights: n3ByFrequency(.02),
		settings: defaultSettings,
	}
	denseRow = row{
		family: dense, structure: "complex", weights: n3Weight(.1),
		settings: largeSettings,
	}
	largeRow = row{
		family: large, structure: "complex", weights: n3ByFrequency(.1),
		settings: largeSettings,
	}
	hugeRow = row{
		family: huge, structure: "complex", weights: n3ByFrequency(.1),
		settings: largeSettings,
	}
	vastRow = row{
		family: vast, structure: "complex", weights: n3ByFrequency(.2),
		settings: largeSettings,
	}
	basicRow = row{
		family: basic, structure: "complex",
		settings: settings{dim: 64, batch: 256, epochs: 60, rate: .3},
	}
)

var (
	defaultSettings = settings{
		dim: 512, batch: 128, epochs: 60, validate: 5, patience: 3, rate: .1,
	}
	largeSettings = settings{ // of graphs with many triples or entities
		dim: 512, batch: 500, epochs: 60, validate: 5, patience: 3, rate: .3, cooldown: .5,
	}
	smallSettings       = settings{dim: 256, batch: 128, epochs: 60, validate: 5, rate: .1}
	smallSearchSettings = settings{dim: 64, batch: 128, epochs: 30, rate: .1}
)
