package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// retrainedWith returns a study with retrainings of one structure with these scores.
func retrainedWith(scores ...float64) Data {
	var trials []task.Trial
	for i, score := range scores {
		t := task.Trial{
			Number: i + 1, Stage: task.Retraining, Structure: structure.MustParse("1,2;0,1"),
		}
		t.Recipe.Seed = uint64(i)
		for epoch := 1; epoch <= 3; epoch++ {
			v := kge.Validation{Epoch: 5 * epoch, MRR: score * float64(epoch) / 3}
			t.Validations = append(t.Validations, v)
		}
		trials = append(trials, withResult(t, evaluation(score, 100), nil))
	}
	return Data{Contents: study.Contents{Trials: trials}}
}

// TestLearningCurve checks the mean and the band over the seeds.
func TestLearningCurve(t *testing.T) {
	a := newAnalysis(retrainedWith(0.3, 0.6, 0.6))
	series := a.curves()[0].Chart.Series
	if len(series) != 1 || len(series[0].Points) != 3 {
		t.Fatalf("%+v", series)
	}
	last := series[0].Points[2]
	if last.X != 15 || math.Abs(last.Y-0.5) > 1e-12 || *last.Low != 0.3 || *last.High != 0.6 {
		t.Errorf("the curve ends at %+v", last)
	}
}

// TestRetrainingInterval checks the interval of three seeds, by the quantile 4.3027 of Student's
// distribution with two degrees of freedom.
func TestRetrainingInterval(t *testing.T) {
	a := newAnalysis(retrainedWith(0.4, 0.5, 0.6))
	chart := a.retraining()[0].Chart
	mean, each := chart.Series[0].Points[0], chart.Series[1].Points
	half := 4.3027 * 0.1 / math.Sqrt(3)
	if math.Abs(mean.X-0.5) > 1e-12 || math.Abs(*mean.Low-0.5+half) > 1e-4 ||
		math.Abs(*mean.High-0.5-half) > 1e-4 || len(each) != 3 || len(chart.Categories) != 1 {
		t.Errorf("%+v and %+v, want half a width of %v", mean, each, half)
	}
}

// TestRetrainingWords checks the words for two seeds of a structure that loses to a baseline.
func TestRetrainingWords(t *testing.T) {
	trials := withSeeds(nil, "", task.Retraining, []float64{.4, .5}, []float64{.4, .5}, 1000)
	trials = withSeeds(trials, "complex", task.Retraining, []float64{.5, .61}, []float64{.5, .61}, 1000)
	trials = withSeeds(trials, "distmult", task.Default, []float64{.3}, []float64{.3}, 1000)
	d := Data{Presentation: completion.NewPresentation(), Contents: study.Contents{Trials: trials}}
	part := newAnalysis(d).retraining()[0]
	if !strings.Contains(part.Text, "−0.105") || strings.Contains(part.Text, "-") {
		t.Errorf("the signs differ from those of the headline: %s", part.Text)
	}
	if name := part.Chart.Series[0].Name; name != "mean over the seeds" { // one model has one
		t.Errorf("the means are %q", name)
	}
}

// TestMembersOfTwoRecipes: members with the same structure and seed have names that differ.
func TestMembersOfTwoRecipes(t *testing.T) {
	trials := withSeeds(nil, "complex", task.Default, []float64{.3}, []float64{.3}, 1000)
	trials = withSeeds(trials, "", task.Searching, []float64{.4}, []float64{.4}, 1000)
	trials = withSeeds(trials, "", task.Retraining, []float64{.4}, []float64{.4}, 1000)
	trials = withSeeds(trials, "", task.Retraining, []float64{.5}, []float64{.5}, 1000)
	trials[3].Recipe.N3 = 0.1
	trials = withSeeds(trials, "", task.EnsembleSelection, []float64{.6}, []float64{.6}, 1000)
	trials[4].Structure, trials[4].Ensemble = structure.Structure{}, &task.Selection{Members: []int{3, 4, 1}}
	trials[4].Kept = true
	d := Data{Presentation: completion.NewPresentation(), Contents: study.Contents{Trials: trials}}
	var names []string
	for _, row := range cellsOf(NewPage(d), "Members")[1:] {
		names = append(names, row[0])
	}
	if want := []string{"found 1, default recipe", "found 1", "ComplEx, default"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// TestTrialsChart checks that each complete trial is a point or counted as not drawn.
func TestTrialsChart(t *testing.T) {
	d := Data{Contents: study.Contents{
		Trials: trialsWith([]float64{0.80, 0.81, math.NaN(), 0.79, 0.82, 0.80, 0.05}),
	}}
	chart := newAnalysis(d).trialsChart()
	numbers := map[int]float64{}
	for _, s := range chart.Series {
		for _, p := range s.Points {
			if p.Trial > 0 {
				numbers[p.Trial] = p.Y
			}
		}
	}
	if len(numbers) != 5 || numbers[1] != 0.80 || numbers[5] != 0.82 {
		t.Errorf("the chart has %v", numbers)
	}
	const hidden = "Point at a trial, or use the arrow keys, to see its structure. " +
		"Click, or press Enter, to find it in the table. " +
		"Not drawn: 1 trial far below."
	if chart.Caption != hidden {
		t.Errorf("the caption is %q", chart.Caption)
	}
}
