package recipe

import (
	"cmp"
	"slices"
)

// Reported holds a result that others report on a benchmark.
type Reported struct {
	Published
	// Recipe names the recipe with its settings, or is "".
	Recipe string
	// Dim, Batch and Epochs are 0 if unknown.
	Dim, Batch, Epochs int
	// EpochSeconds is the time of an epoch on the authors' GPU, or 0. GPU says which GPU.
	EpochSeconds float64
	GPU          string
	// Paper marks the paper on AutoBLM.
	Paper bool
	// Claimed marks a result known only from secondary pages, mostly as the MRR alone.
	Claimed bool
}

// otherModel holds the results, by benchmark, of a model that has no recipe here. Unknown metrics
// are 0.
type otherModel struct {
	model, source  string
	paper, claimed bool
	on             map[string]metrics
}

const (
	paperPlus = "the paper, link prediction"
	libKGE    = "uma-pi1/kge, README"
	tuckER    = "ibalazevic/TuckER, README"
	ivr       = "the paper on intermediate variable regularization (arXiv:2506.02749)"
)

var otherModels = []otherModel{
	{model: "AutoBLM+", source: paperPlus, paper: true, on: map[string]metrics{
		"wn18":      {.952, .947, .961},
		"fb15k":     {.861, .832, .913},
		"wn18rr":    {.492, .452, .567},
		"fb15k-237": {.364, .270, .553},
		"yago3-10":  {.577, .502, .715},
	}},
	{model: "ComplEx by LibKGE", source: libKGE, on: map[string]metrics{
		"wn18":      {.951, .947, .958},
		"fb15k":     {.838, .807, .893},
		"wn18rr":    {.475, .438, .547},
		"fb15k-237": {.348, .253, .536},
		"yago3-10":  {.551, .476, .682},
	}},
	{model: "TuckER", source: tuckER, on: map[string]metrics{
		"wn18":      {.953, .949, .958},
		"fb15k":     {.795, .741, .892},
		"wn18rr":    {.470, .443, .526},
		"fb15k-237": {.358, .266, .544},
	}},
	{model: "TuckER with IVR", source: ivr, claimed: true, on: map[string]metrics{
		"wn18rr":    {.501},
		"fb15k-237": {.372},
		"yago3-10":  {.586},
	}},
}

// ReportedOn returns the known results of bilinear models on a benchmark: first the paper's own,
// then the others by MRR.
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
		if row.dataset == dataset && row.published != (metrics{}) {
			add(row.result())
		}
	}
	for _, m := range otherModels {
		if metrics, ok := m.on[dataset]; ok {
			published := metrics.published(m.model, m.source)
			add(Reported{Published: published, Paper: m.paper, Claimed: m.claimed})
		}
	}
	slices.SortStableFunc(others, func(a, b Reported) int { return cmp.Compare(b.MRR, a.MRR) })
	return append(own, others...)
}

func (r row) result() Reported {
	reported := Reported{Published: *r.recipe().Published, Recipe: r.name}
	if r.name == paper.name { // with the settings of the conference version
		reported.Paper = true
		return reported
	}
	reported.Dim, reported.Batch, reported.Epochs = r.dim, r.batch, r.epochs
	if r.hours > 0 {
		reported.EpochSeconds, reported.GPU = r.hours*3600/float64(r.epochs), r.gpu
	}
	return reported
}
