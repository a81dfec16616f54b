package recipe

import (
	"cmp"
	"slices"
)

// Reported is a result that others report on a benchmark.
type Reported struct {
	Published
	// Recipe is the name of the one that has its settings, "" where there is none.
	Recipe string
	// Dim, Batch and Epochs are how large, by how many examples and how long it was trained, 0
	// where that is not known.
	Dim, Batch, Epochs int
	// EpochSeconds is how long an epoch took on the authors' GPU, 0 where nobody says, and GPU
	// which that is.
	EpochSeconds float64
	GPU          string
	// Paper marks what the paper on AutoBLM reports of its own.
	Paper bool
	// Claimed marks what is known from secondary pages only, mostly as the MRR alone.
	Claimed bool
}

// reported is what no recipe here has the settings of.
type reported struct {
	dataset, model, source string
	paper, claimed         bool
	metrics                // 0 where not known
}

const (
	paperPlus   = "the paper, link prediction"
	libKGE      = "uma-pi1/kge, README"
	tuckER      = "ibalazevic/TuckER, README"
	intermedial = "the paper on the regularization of intermediate variables (arXiv:2506.02749)"
)

var elsewhere = []reported{
	{dataset: "wn18rr", model: "AutoBLM+", source: paperPlus, paper: true, metrics: metrics{.492, .452, .567}},
	{dataset: "wn18rr", model: "ComplEx by LibKGE", source: libKGE, metrics: metrics{.475, .438, .547}},
	{dataset: "wn18rr", model: "TuckER", source: tuckER, metrics: metrics{.470, .443, .526}},
	{dataset: "wn18rr", model: "TuckER with IVR", source: intermedial, claimed: true, metrics: metrics{.501}},
	{dataset: "fb15k-237", model: "AutoBLM+", source: paperPlus, paper: true, metrics: metrics{.364, .270, .553}},
	{dataset: "fb15k-237", model: "ComplEx by LibKGE", source: libKGE, metrics: metrics{.348, .253, .536}},
	{dataset: "fb15k-237", model: "TuckER", source: tuckER, metrics: metrics{.358, .266, .544}},
	{dataset: "fb15k-237", model: "TuckER with IVR", source: intermedial, claimed: true, metrics: metrics{.372}},
	{dataset: "wn18", model: "AutoBLM+", source: paperPlus, paper: true, metrics: metrics{.952, .947, .961}},
	{dataset: "wn18", model: "ComplEx by LibKGE", source: libKGE, metrics: metrics{.951, .947, .958}},
	{dataset: "wn18", model: "TuckER", source: tuckER, metrics: metrics{.953, .949, .958}},
	{dataset: "fb15k", model: "AutoBLM+", source: paperPlus, paper: true, metrics: metrics{.861, .832, .913}},
	{dataset: "fb15k", model: "ComplEx by LibKGE", source: libKGE, metrics: metrics{.838, .807, .893}},
	{dataset: "fb15k", model: "TuckER", source: tuckER, metrics: metrics{.795, .741, .892}},
	{dataset: "yago3-10", model: "AutoBLM+", source: paperPlus, paper: true, metrics: metrics{.577, .502, .715}},
	{dataset: "yago3-10", model: "ComplEx by LibKGE", source: libKGE, metrics: metrics{.551, .476, .682}},
	{dataset: "yago3-10", model: "TuckER with IVR", source: intermedial, claimed: true, metrics: metrics{.586}},
}

// ReportedOn is what is known of bilinear models on a benchmark of the paper's: what the paper
// reports first, then the best.
func ReportedOn(dataset string) []Reported {
	var own, others []Reported
	add := func(r Reported) {
		if r.Paper {
			own = append(own, r)
		} else {
			others = append(others, r)
		}
	}
	for _, row := range table() {
		if row.dataset != dataset || row.published == (metrics{}) {
			continue
		}
		r := Reported{Published: *row.recipe().Published, Recipe: row.name, Dim: row.dim, Batch: row.batch, Epochs: row.epochs}
		if row.hours > 0 {
			r.EpochSeconds, r.GPU = row.hours*3600/float64(row.epochs), row.gpu
		}
		if row.name == paper.name { // whose settings are of the version before
			r.Paper, r.Dim, r.Batch, r.Epochs = true, 0, 0, 0
		}
		add(r)
	}
	for _, row := range elsewhere {
		if row.dataset == dataset {
			add(Reported{Published: row.metrics.of(row.model, row.source), Paper: row.paper, Claimed: row.claimed})
		}
	}
	slices.SortStableFunc(others, func(a, b Reported) int { return cmp.Compare(b.MRR, a.MRR) })
	return append(own, others...)
}
