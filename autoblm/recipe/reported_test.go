package recipe

import (
	"slices"
	"testing"
)

// TestReportedOn: the results of the paper come first, then the others by MRR, each like its
// recipe.
func TestReportedOn(t *testing.T) {
	best := map[string]float64{"wn18rr": .498, "fb15k-237": .388, "wn18": .953, "fb15k": .86,
		"yago3-10": .584}
	for dataset, want := range best {
		all := ReportedOn(dataset)
		if len(all) < 3 || all[0].Model != "AutoBLM" || all[1].Model != "AutoBLM+" ||
			all[1].MRR < all[0].MRR {
			t.Fatalf("%s: %+v", dataset, all)
		}
		others := all[2:]
		if !slices.IsSortedFunc(others, func(a, b Reported) int { return int(1e6 * (b.MRR - a.MRR)) }) {
			t.Errorf("%s: %+v", dataset, others)
		}
		sure := slices.IndexFunc(others, func(r Reported) bool { return !r.Claimed })
		if others[sure].MRR != want {
			t.Errorf("%s: the best is %+v, want %v", dataset, others[sure], want)
		}
		for i, r := range all {
			if r.Source == "" || r.Model == "" || r.Paper != (i < 2) ||
				(r.EpochSeconds > 0) != (r.GPU != "") {
				t.Errorf("%s: %+v", dataset, r)
			}
			if !r.Claimed && !(0 < r.Hits1 && r.Hits1 < r.MRR && r.MRR < r.Hits10 && r.Hits10 < 1) {
				t.Errorf("%s: %+v", dataset, r)
			}
			if r.Recipe == "" {
				continue
			}
			recipe := named(t, r.Recipe, dataset)
			if *recipe.Published != r.Published || !r.Paper &&
				(r.Dim != recipe.Training.Dim || r.Epochs != recipe.Training.Epochs) {
				t.Errorf("%s: %+v, the recipe has %+v", dataset, r, recipe.Published)
			}
		}
	}
	if all := ReportedOn("mine"); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	for _, r := range ReportedOn("fb15k-237") {
		if r.Recipe == "rp" && (r.EpochSeconds < 82 || r.EpochSeconds > 84) {
			t.Errorf("11.5 hours for 500 epochs are %v s each", r.EpochSeconds)
		}
	}
}
