package recipe

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// family is what the recipes of one name have in common.
type family struct {
	name, about, source, note string
	model, reported, gpu      string // of the published metrics
	form                      form.Form
	training                  kge.Settings
}

// settings are those in which the recipes of a family differ.
type settings struct {
	dim, batch, epochs, validateEvery, patience int
	rate, decay                                 float64
	frequency                                   float64
	weights                                     kge.Weights
}

// metrics are the published MRR, Hits@1 and Hits@10.
type metrics [3]float64

func (m metrics) of(model, source string) Published {
	return Published{Model: model, MRR: m[0], Hits1: m[1], Hits10: m[2], Source: source}
}

type row struct {
	family
	dataset string
	settings
	published metrics
	hours     float64 // that it took on the authors' GPU, 0 where nobody says
	structure string
	note      string // beside that of the family
}

func (r row) recipe() Recipe {
	s := r.training
	s.Dim, s.Batch, s.Epochs, s.ValidateEvery, s.Patience = r.dim, r.batch, r.epochs, r.validateEvery, r.patience
	s.Frequency = r.frequency
	if r.decay != 0 {
		s.Decay = r.decay
	}
	recipe := Recipe{
		Name: r.name, Dataset: r.dataset, About: r.about, Source: r.source, Note: join(r.family.note, r.note),
		Form: r.form, Recipe: kge.Recipe{Training: s, LearningRate: r.rate, Weights: r.weights},
	}
	if r.structure != "" {
		recipe.Structure = structure.MustParse(r.structure)
	}
	if r.published != (metrics{}) {
		published := r.published.of(r.model, r.reported)
		recipe.Published = &published
	}
	return recipe
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// training changes the library's defaults.
func training(change func(s *kge.Settings)) kge.Settings {
	s := kge.DefaultSettings()
	change(&s)
	return s
}

// authors is how the programs of the paper's authors train.
func authors(s *kge.Settings) { s.Initial, s.MaxNorm = kge.Xavier, 1 }

// reciprocal is how kbc and the programs made from it train.
func reciprocal(s *kge.Settings) { s.Reciprocal, s.InitScale = true, 1e-3 }

const (
	penaltyNote = "Their weight λ acts as λ divided by the batch size, since a sum in their loss runs over pairs of triples."
	bestNote    = "The best epoch by validation is kept."
	measured    = "this project: chosen by validation, notebooks/results/defaults.json"
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
		note:     penaltyNote + " It is for searches, and comes without a structure.",
		training: training(authors),
	}
	n3 = family{
		name: "n3", model: "ComplEx", reported: "the same README",
		about:    "ComplEx with the nuclear 3-norm (Lacroix et al., 2018)",
		source:   "facebookresearch/kbc, README, the largest rank",
		note:     "They keep the last epoch; here the best by validation is kept.",
		training: training(reciprocal),
	}
	dura = family{
		name: "dura", model: "ComplEx", reported: "the paper on DURA (Zhang et al., 2020)",
		about:    "ComplEx with DURA, products weighed three times as much as entities",
		source:   "MIRALab-USTC/KGE-DURA, README, ComplEx with DURA_W",
		note:     "They keep the last epoch; here the best by validation is kept.",
		training: training(reciprocal),
	}
	rescal = family{
		name: "rescal", model: "RESCAL", reported: dura.reported, form: form.GQE,
		about:  "RESCAL, a matrix for each relation, with DURA, products weighed as entities",
		source: "MIRALab-USTC/KGE-DURA, README, RESCAL with DURA_RESCAL",
		note: "Matrices of relations begin as random ones that keep lengths, theirs nearer to 0, with Xavier's bound for rows of d² numbers. " +
			dura.note,
		training: training(func(s *kge.Settings) { s.Reciprocal, s.Initial = true, kge.Xavier }),
	}
	rescalAnywhere = family{
		name: rescal.name, form: rescal.form,
		about:    "RESCAL with DURA, a matrix for each relation, on a graph of few relations",
		source:   "this project: that for wn18rr, for fewer epochs",
		note:     bestNote,
		training: rescal.training,
	}
	rp = family{
		name: "rp", model: "ComplEx", reported: "its README", gpu: "a GPU of 16 GB",
		about:    "ComplEx with N3 and relation prediction (Chen et al., 2021)",
		source:   "facebookresearch/ssl-relation-prediction, doc/hyper-parameters",
		note:     "Their program keeps the epoch that is best on the test triples, so their metrics may be a little high; here it is the best by validation.",
		training: training(reciprocal),
	}
	small = family{
		name: "small", model: "ConvE", reported: "TimDettmers/ConvE, README; another model, trained in another way",
		about:    "a small graph in less than a minute on two cores",
		source:   "this project: one of a dozen settings tried, no more; nobody published any for this graph with such a loss",
		note:     bestNote,
		training: training(reciprocal),
	}
	smallSearch = family{
		name:     "small-search",
		about:    "a search on a small graph in less than a minute on two cores",
		source:   "this project: small, with a smaller dimension and half as many epochs",
		training: training(reciprocal),
	}

	// For any graph:
	usual = family{
		name:     "usual",
		about:    "structures on a graph of more than 250 entities where no recipe is named",
		source:   measured,
		note:     bestNote,
		training: training(reciprocal),
	}
	usualFew = family{
		name:     "usual-few",
		about:    "structures on a graph of at most 250 entities where no recipe is named",
		source:   measured,
		note:     bestNote,
		training: training(reciprocal),
	}
	large = family{
		name:     "large",
		about:    "a large graph in less time than usual takes",
		source:   "this project: usual, with half the dimension and half as many epochs",
		note:     bestNote,
		training: training(reciprocal),
	}
	plain = family{
		name:     "plain",
		about:    "what train did in its first version, and does for models without a structure",
		source:   "this project's first version",
		training: kge.DefaultSettings(),
	}
	unknown = family{
		name:     paper.name,
		about:    "the defaults of the authors' program, for graphs that it has no settings for",
		source:   paper.source,
		note:     paper.note,
		training: paper.training,
	}
)

// The weights of a family, in this project's conventions.
func relations(lambda float64, batch int) kge.Weights {
	return kge.Weights{RelationL2: lambda / float64(batch)}
}

func cubes(weight float64) kge.Weights { return kge.Weights{N3: weight} }

// duality weighs DURA: both by 2λ where theirs has λ for both (DURA_RESCAL), by λ and 3λ where it
// has λ/2 and 3λ/2 (DURA_W); see the package's comment.
func duality(entities, products float64) kge.Weights {
	return kge.Weights{EntityL2: entities, Products: products}
}

// complexCubes are of the moduli of complex numbers, as kbc and the programs made from it take them.
func complexCubes(weight float64) kge.Weights { return kge.Weights{N3: weight, N3Moduli: true} }

func complexCubesAndPrediction(n3, prediction float64) kge.Weights {
	w := complexCubes(n3)
	w.RelationPrediction = prediction
	return w
}

// table has all recipes.
func table() []row {
	return []row{
		usualRow, usualFewRow,
		{family: large, structure: "complex", settings: settings{dim: 256, batch: 128, epochs: 30, validateEvery: 5, patience: 2, rate: .1, weights: cubes(.1)}},
		plainRow,

		{family: paper, dataset: "wn18", published: metrics{.952, .947, .961},
			structure: "0,2,-2,1;3,0,2,0;-3,3,0,-1;4,0,-4,0",
			settings:  settings{dim: 1024, batch: 256, epochs: 400, validateEvery: 20, rate: .109, decay: .991, weights: relations(3.245e-4, 256)}},
		{family: paper, dataset: "fb15k", published: metrics{.853, .821, .910},
			structure: "0,2,0,1;3,0,2,0;0,3,0,0;4,0,0,0",
			settings:  settings{dim: 2048, batch: 256, epochs: 700, validateEvery: 50, rate: .704, decay: .991, weights: relations(3.49e-5, 256)}},
		{family: paper, dataset: "wn18rr", published: metrics{.490, .451, .567},
			structure: "4,1,0,0;2,4,0,-1;0,0,3,-2;0,-2,-1,4",
			settings:  settings{dim: 512, batch: 512, epochs: 300, validateEvery: 20, rate: .471, decay: .99, weights: relations(5.92e-5, 512)}},
		{family: paper, dataset: "fb15k-237", published: metrics{.360, .267, .552},
			structure: "0,0,1,0;0,2,0,0;0,0,0,3;4,0,0,0",
			settings:  settings{dim: 2048, batch: 512, epochs: 500, validateEvery: 25, rate: .178, decay: .991, weights: relations(.00252, 512)}},
		{family: paper, dataset: "yago3-10", published: metrics{.571, .501, .715},
			structure: "1,0,0,0;0,2,0,-3;0,0,3,0;0,-2,0,4",
			settings:  settings{dim: 1024, batch: 2048, epochs: 400, validateEvery: 20, rate: .9514, decay: .991, weights: relations(2.178e-4, 2048)}},
		{family: unknown, structure: "complex", settings: settings{dim: 256, batch: 4096, epochs: 300, validateEvery: 10, rate: .7, weights: relations(.4, 4096)}},

		{family: paperSearch, dataset: "wn18", settings: settings{dim: 64, batch: 2048, epochs: 60, rate: .294506, weights: relations(.001337, 2048)}},
		{family: paperSearch, dataset: "fb15k", settings: settings{dim: 64, batch: 1024, epochs: 100, rate: .173476, weights: relations(1.3e-5, 1024)}},
		{family: paperSearch, dataset: "wn18rr", settings: settings{dim: 64, batch: 128, epochs: 50, rate: .211797, weights: relations(5e-5, 128)}},
		{family: paperSearch, dataset: "fb15k-237", settings: settings{dim: 64, batch: 1024, epochs: 50, rate: .18821, weights: relations(.003383, 1024)}},
		{family: paperSearch, dataset: "yago3-10", settings: settings{dim: 32, batch: 256, epochs: 50, rate: .201078, weights: relations(.000364, 256)}},

		{family: n3, dataset: "wn18", structure: "complex", published: metrics{.95, .94, .96},
			settings: settings{dim: 4000, batch: 500, epochs: 20, validateEvery: 5, rate: .1, weights: complexCubes(.1)},
			note:     "d 200 reaches about the same MRR."},
		{family: n3, dataset: "fb15k", structure: "complex", published: metrics{.86, .83, .91},
			settings: settings{dim: 4000, batch: 50, epochs: 200, validateEvery: 10, rate: .01, weights: complexCubes(5e-3)},
			note:     "Much faster, with .84, .80 and .91: d 1000, batch 500, learning rate 0.1, n3 0.02, 100 epochs."},
		{family: n3, dataset: "wn18rr", structure: "complex", published: metrics{.49, .44, .58},
			settings: settings{dim: 4000, batch: 50, epochs: 100, validateEvery: 5, rate: .1, weights: complexCubes(.2)},
			note:     "d 1000 reaches about the same."},
		{family: n3, dataset: "fb15k-237", structure: "complex", published: metrics{.37, .27, .56},
			settings: settings{dim: 2000, batch: 500, epochs: 100, validateEvery: 5, rate: .1, weights: complexCubes(.1)},
			note:     "Theirs of rank 1000: rank 2000 reaches no more."},
		{family: n3, dataset: "yago3-10", structure: "complex", published: metrics{.58, .50, .71},
			settings: settings{dim: 2000, batch: 500, epochs: 100, validateEvery: 5, rate: .1, weights: complexCubes(.01)}},

		{family: dura, dataset: "wn18rr", structure: "complex", published: metrics{.491, .449, .571},
			settings: settings{dim: 4000, batch: 50, epochs: 50, validateEvery: 5, rate: .1, frequency: .9, weights: duality(.1, .3)}},
		{family: dura, dataset: "fb15k-237", structure: "complex", published: metrics{.371, .276, .560},
			settings: settings{dim: 4000, batch: 50, epochs: 200, validateEvery: 5, rate: .1, weights: duality(.05, .15)}},
		{family: dura, dataset: "yago3-10", structure: "complex", published: metrics{.584, .511, .713},
			settings: settings{dim: 2000, batch: 500, epochs: 200, validateEvery: 5, rate: .1, weights: duality(.005, .015)}},

		{family: rescal, dataset: "wn18rr", published: metrics{.498, .455, .577},
			settings: settings{dim: 256, batch: 512, epochs: 200, validateEvery: 5, rate: .1, frequency: .9, weights: duality(.2, .2)}},
		{family: rescal, dataset: "fb15k-237", published: metrics{.368, .276, .550},
			settings: settings{dim: 512, batch: 256, epochs: 200, validateEvery: 5, rate: .1, weights: duality(.1, .1)}},
		{family: rescalAnywhere, settings: settings{dim: 256, batch: 512, epochs: 60, validateEvery: 5, patience: 3, rate: .1, weights: duality(.2, .2)}},

		{family: rp, dataset: "wn18rr", structure: "complex", published: metrics{.488, .443, .578}, hours: 7,
			settings: settings{dim: 2000, batch: 50, epochs: 500, validateEvery: 5, rate: .1, weights: complexCubesAndPrediction(.2, .05)}},
		{family: rp, dataset: "fb15k-237", structure: "complex", published: metrics{.388, .298, .568}, hours: 11.5,
			settings: settings{dim: 2000, batch: 500, epochs: 500, validateEvery: 5, rate: .1, weights: complexCubesAndPrediction(.1, 4)},
			note:     "Their README's command has 100 epochs."},

		{family: small, dataset: "umls", structure: "complex", published: metrics{.94, .92, .99}, settings: smallSettings},
		{family: small, dataset: "kinship", structure: "complex", published: metrics{.83, .73, .98}, settings: smallSettings},
		{family: small, dataset: "nations", structure: "complex", published: metrics{.82, .72, 1}, settings: smallSettings},
		{family: small, structure: "complex", settings: smallSettings},

		{family: smallSearch, dataset: "umls", settings: smallSearchSettings},
		{family: smallSearch, dataset: "kinship", settings: smallSearchSettings},
		{family: smallSearch, dataset: "nations", settings: smallSearchSettings},
	}
}

// What a graph or a form of models gets where nothing is said; what is usual differs by a weight.
var (
	usualRow    = row{family: usual, structure: "complex", settings: usualSettings(.1)}
	usualFewRow = row{family: usualFew, structure: "complex", settings: usualSettings(.02)}
	largeRow    = row{family: large, structure: "complex", settings: settings{dim: 256, batch: 500, epochs: 30, validateEvery: 5, patience: 2, rate: .1, weights: cubes(.1)}}
	plainRow    = row{family: plain, structure: "complex", settings: settings{dim: 64, batch: 256, epochs: 60, rate: .3}}
)

func usualSettings(n3 float64) settings {
	return settings{dim: 512, batch: 128, epochs: 60, validateEvery: 5, patience: 3, rate: .1, weights: cubes(n3)}
}

var (
	smallSettings       = settings{dim: 256, batch: 128, epochs: 60, validateEvery: 5, rate: .1, weights: cubes(.02)}
	smallSearchSettings = settings{dim: 64, batch: 128, epochs: 30, rate: .1, weights: cubes(.02)}
)
