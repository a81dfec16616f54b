package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"gonum.org/v1/gonum/floats"
)

// headlineOf returns the headline of a kept trial and a baseline with these test scores, where the
// validation scores are higher by 0.01. Each seed has a score.
func headlineOf(kept task.Stage, scores, baseline []float64, n int) Headline {
	d := dataOf(kept, scores, baseline, n)
	return d.Headline()
}

func dataOf(kept task.Stage, scores, baseline []float64, n int) Data {
	var trials []task.Trial
	add := func(name string, test []float64, stage task.Stage) {
		valid := slices.Clone(test)
		floats.AddConst(0.01, valid)
		trials = withSeeds(trials, name, stage, valid, test, n)
	}
	add("complex", baseline, task.Retraining)
	if kept == task.EnsembleSelection {
		add("", []float64{0.3}, task.Retraining)
	}
	add("", scores, kept)
	last := &trials[len(trials)-1]
	last.Kept = true
	if kept == task.EnsembleSelection {
		last.Structure, last.Ensemble = structure.Structure{}, &task.Selection{Members: []int{1, 2, 2}}
	}
	d := Data{
		Presentation: completion.NewPresentation(), Contents: study.Contents{Trials: trials},
	}
	d.About.Settings.RetrainSeeds = len(baseline)
	return d
}

// TestHeldOut: without tests, an ensemble has a score on held-out validation data, which is not compared
// with the scores of others on all of them.
func TestHeldOut(t *testing.T) {
	d := dataOf(task.EnsembleSelection, []float64{.4}, []float64{.5}, 250)
	for i := range d.Trials {
		d.Trials[i].TestScore = nil
	}
	h := d.Headline()
	if !h.HeldOut || h.Kept.Difference != nil || h.Alone.Difference == nil {
		t.Errorf("%+v, kept %+v, alone %+v", h, h.Kept, h.Alone)
	}
	if got := h.Rows()[1].Note; got != "kept is ahead on held-out data" {
		t.Errorf("the baseline has the note %q", got)
	}
	if h := headlineOf(task.EnsembleSelection, []float64{.4}, []float64{.5}, 250); h.HeldOut {
		t.Error("a tested ensemble is held out")
	}
}

func TestHeadline(t *testing.T) {
	for _, c := range []struct {
		name string
		h    Headline
		want []Row
	}{
		{"ensemble", headlineOf(task.EnsembleSelection, []float64{.412}, []float64{.404}, 250), []Row{
			{Label: "kept", Name: "ensemble of 3", Score: "test MRR 0.412 ± 0.031"},
			{Label: "baseline", Name: "ComplEx", Score: "test MRR 0.404", Note: "kept +0.008: no clear difference"},
			{Label: "structure alone", Name: "structure found", Score: "test MRR 0.300", Note: "−0.104: worse"},
		}},
		{"clear", headlineOf(task.EnsembleSelection, []float64{.5}, []float64{.4}, 2500), []Row{
			{Label: "kept", Name: "ensemble of 3", Score: "test MRR 0.500 ± 0.010"},
			{Label: "baseline", Name: "ComplEx", Score: "test MRR 0.400", Note: "kept +0.100: better"},
			{Label: "structure alone", Name: "structure found", Score: "test MRR 0.300", Note: "−0.100: worse"},
		}},
		{"seeds", headlineOf(task.Retraining, []float64{.6, .62}, []float64{.5, .51}, 100), []Row{
			{Label: "kept", Name: "structure found, mean of 2 seeds", Score: "test MRR 0.610 ± 0.049"},
			{Label: "baseline", Name: "ComplEx, mean of 2 seeds", Score: "test MRR 0.505", Note: "kept +0.105: better"},
		}},
		{"empty", Data{}.Headline(), nil},
	} {
		got := c.h.Rows()
		for i := range got {
			if hasNote := strings.Contains(got[i].Note, ":"); hasNote != (got[i].Detail != "") {
				t.Errorf("%s: %+v lacks its interval", c.name, got[i])
			}
			got[i].Detail = ""
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %q\nwant %q", c.name, got, c.want)
		}
	}
	// Student's quantile for one degree of freedom is 12.706; the differences are 0.10 and 0.11.
	d := headlineOf(task.Retraining, []float64{.6, .62}, []float64{.5, .51}, 100).Kept.Difference
	if want := 0.105 - 12.706*0.005; math.Abs(d.Low-want) > 1e-4 {
		t.Errorf("the interval begins at %v, want %v", d.Low, want)
	}
}

// TestUnknownError: a difference without an error claims nothing.
func TestUnknownError(t *testing.T) {
	for _, mean := range []float64{-.1, .1} {
		if v := (Interval{mean, mean, mean, "one seed"}).Verdict(); v != "no clear difference" {
			t.Errorf("%v without an error: %s", mean, v)
		}
	}
}

// TestUnmeasured: a model without validation and test triples has no score.
func TestUnmeasured(t *testing.T) {
	d := dataOf(task.Default, []float64{.4}, []float64{.5}, 250)
	for i := range d.Trials {
		d.Trials[i].Score, d.Trials[i].TestScore = nil, nil
	}
	h := d.Headline()
	for _, row := range h.Rows() {
		if row.Score != "validation MRR –" || row.Note != "" {
			t.Errorf("%+v", row)
		}
	}
}
