package results

import (
	"cmp"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/recipe"
)

// reportedResult holds a result that others report on a benchmark.
type reportedResult struct {
	recipe.Published
	// Recipe names the recipe with its settings, or is "".
	Recipe string
	// Dim, Batch and Epochs are 0 if unknown. EpochSeconds is the time of an epoch on the authors'
	// GPU, or 0.
	Dim, Batch, Epochs int
	EpochSeconds       float64
	// Paper marks the paper on AutoBLM.
	Paper bool
}

// metrics holds MRR, Hits@1 and Hits@10.
type metrics [3]float64

// otherModel holds the results, by benchmark, of a model that has no recipe here. Unknown metrics
// are 0.
type otherModel struct {
	model, source string
	paper         bool
	on            map[string]metrics
}

const (
	paperPlus = "the paper, link prediction"
	libKGE    = "uma-pi1/kge, README"
	tuckER    = "ibalazevic/TuckER, README"
	rpSlides  = "facebookresearch/ssl-relation-prediction, slides"
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
	{model: "ComplEx", source: rpSlides, on: map[string]metrics{
		"kinship": {.920}, "nations": {.827}, "umls": {.971},
	}},
}

// hoursOfRP holds the published times of trainings with the recipe rp on a GPU of 16 GB.
var hoursOfRP = map[string]float64{"wn18rr": 7, "fb15k-237": 11.5}

// reportedOn returns the known results of bilinear models on a benchmark: first the paper's own,
// then the others by MRR.
func reportedOn(dataset string) []reportedResult {
	var own, others []reportedResult
	add := func(r reportedResult) {
		if r.Paper {
			own = append(own, r)
		} else {
			others = append(others, r)
		}
	}
	for _, r := range recipe.For(dataset) {
		if r.Published == nil {
			continue
		}
		result := reportedResult{Published: *r.Published, Recipe: r.Name, Paper: r.Name == "paper"}
		if !result.Paper { // which has the settings of the conference version
			result.Dim, result.Batch, result.Epochs = r.Training.Dim, r.Training.Batch, r.Training.Epochs
		}
		if r.Name == "rp" {
			result.EpochSeconds = hoursOfRP[dataset] * 3600 / float64(result.Epochs)
		}
		add(result)
	}
	for _, m := range otherModels {
		if on, ok := m.on[dataset]; ok {
			result := recipe.Published{
				Model: m.model, Source: m.source, MRR: on[0], Hits1: on[1], Hits10: on[2],
			}
			add(reportedResult{Published: result, Paper: m.paper})
		}
	}
	slices.SortStableFunc(others, func(a, b reportedResult) int { return cmp.Compare(b.MRR, a.MRR) })
	return append(own, others...)
}

// TestReportedOn checks that the results of the paper come first, then the others by MRR.
func TestReportedOn(t *testing.T) {
	best := map[string]float64{"wn18rr": .501, "fb15k-237": .388, "wn18": .953, "fb15k": .86,
		"yago3-10": .586}
	for dataset, want := range best {
		all := reportedOn(dataset)
		if len(all) < 3 || all[0].Model != "AutoBLM" || all[1].Model != "AutoBLM+" ||
			all[1].MRR < all[0].MRR {
			t.Fatalf("%s: %+v", dataset, all)
		}
		sure := slices.IndexFunc(all, func(r reportedResult) bool { return !r.Paper })
		if all[sure].MRR != want {
			t.Errorf("%s: the best is %+v, want %v", dataset, all[sure], want)
		}
		for i, r := range all {
			if r.Source == "" || r.Model == "" || r.Paper != (i < 2) || i > 2 && r.MRR > all[i-1].MRR {
				t.Errorf("%s: %+v", dataset, r)
			}
			alone := r.Hits1 == 0 && r.Hits10 == 0 // some report the MRR alone
			if !(0 < r.MRR && r.MRR < 1) ||
				!alone && !(0 < r.Hits1 && r.Hits1 < r.MRR && r.MRR < r.Hits10 && r.Hits10 < 1) {
				t.Errorf("%s: %+v", dataset, r)
			}
			if dataset == "fb15k-237" && r.Recipe == "rp" && (r.EpochSeconds < 82 || r.EpochSeconds > 84) {
				t.Errorf("11.5 hours for 500 epochs are %v s each", r.EpochSeconds)
			}
		}
	}
}
