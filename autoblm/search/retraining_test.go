package search_test

import (
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// TestRetraining: the best three found structures and the best two baselines train with each other
// seed, the highest mean decides, and its best seed is kept.
func TestRetraining(t *testing.T) {
	p := problem(t, strategy.Evolutionary{}, 14)
	p.Settings.RetrainSeeds = 3
	result := run(t, p)
	if len(result.Retrained) != 5 || len(result.Baselines) != 5 || result.Trained != 14 {
		t.Fatalf("%d retrained, %d baselines, %d trained", len(result.Retrained),
			len(result.Baselines), result.Trained)
	}
	named := 0
	for i, r := range result.Retrained {
		sum := 0.0
		for seed, trial := range r.Trials {
			sum += trial.ScoreOrZero()
			if trial.Recipe.Seed != p.Settings.Seed+uint64(seed)+1 ||
				trial.Structure != r.Structure ||
				trial.Recipe.Training != result.Recipe.Training {
				t.Errorf("trial %+v", trial)
			}
		}
		if math.Abs(r.Score()-sum/3) > 1e-12 || i > 0 && r.Score() > result.Retrained[i-1].Score() {
			t.Errorf("number %d has a mean of %v of %v", i, r.Score(), sum)
		}
		if r.Name != "" {
			named++
		}
	}
	if named != 2 {
		t.Errorf("%d baselines", named)
	}
	best := result.Retrained[0]
	most := best.Trials[0]
	for _, trial := range best.Trials {
		if trial.ScoreOrZero() > most.ScoreOrZero() {
			most = trial
		}
	}
	if result.Kept == nil || result.Kept.Number != most.Number {
		t.Errorf("kept %+v, want the best seed of the best mean, %+v", result.Kept, most)
	}
	if m := bestModel(t, result); m.Structure != best.Structure ||
		noted(t, m).Valid.Both.MRR != most.ScoreOrZero() {
		t.Errorf("the model has structure %v", m.Structure)
	}
}

// TestRetrainingWithLargerBudget: structures that become the best later are retrained too.
func TestRetrainingWithLargerBudget(t *testing.T) {
	p := problem(t, strategy.Random{}, 9)
	p.Settings.RetrainSeeds = 2
	before := len(run(t, p).Retrained)
	p.Settings.Budget = 40
	result := run(t, p)
	top := map[structure.Structure]bool{}
	for _, trial := range result.Best[:3] {
		top[trial.Structure] = true
	}
	for _, r := range result.Retrained {
		delete(top, r.Structure)
	}
	if len(result.Retrained) < before || len(top) > 0 {
		t.Errorf("%d retrained, %d before; %d of the best three are missing",
			len(result.Retrained), before, len(top))
	}
}

func retrained(name string, tests ...float64) search.Retrained {
	r := search.Retrained{Name: name}
	for i, test := range tests {
		score := test / 2
		r.Trials = append(r.Trials,
			task.Trial{Score: &score, TestScore: &test, Recipe: task.Recipe{Seed: uint64(i)}})
	}
	return r
}

// TestDifference: for 4 pairs with a mean difference of .02 and a standard deviation of .01, the
// interval by Student's distribution is ±3.1824·.01/2.
func TestDifference(t *testing.T) {
	shift := 0.01 * math.Sqrt(0.75) // whose standard deviation in two pairs each is .01
	a, b := retrained("", .5+.02+shift, .6+.02-shift, .7+.02+shift, .8+.02-shift), retrained("complex", .5, .6, .7, .8)
	d := a.Minus(b)
	if half := 3.182446305 * 0.01 / 2; d == nil || !d.Tested || math.Abs(d.Mean-.02) > 1e-9 ||
		math.Abs(d.Low-.02+half) > 1e-9 ||
		math.Abs(d.High-.02-half) > 1e-9 {
		t.Errorf("%+v", d)
	}
	final := search.FinalOf([]search.Retrained{a, retrained("", .1, .1, .1, .1), b})
	if final.Best.Name != "" || final.Baseline.Name != "complex" || *final.Difference != *d {
		t.Errorf("%+v", final)
	}
	if d := a.Minus(retrained("complex", .5, .6, .7)); d == nil ||
		math.Abs(d.Mean-.02-shift/3) > 1e-9 {
		t.Errorf("over the three seeds that both have: %+v", d)
	}
	if retrained("", .5).Minus(retrained("", .5)) != nil {
		t.Error("a difference of one seed")
	}
	if mean := a.TestScore(); math.Abs(*mean-.67) > 1e-9 {
		t.Errorf("the mean of the test is %v", *mean)
	}
	a.Trials[0].TestScore = nil
	if d := a.Minus(b); a.TestScore() != nil || math.Abs(d.Mean-.01) > 1e-9 || d.Tested {
		t.Errorf("without a test the scores are compared: %+v", d)
	}
}

// TestSplitsAreComparedWithin: the structure that wins on most splits by most comes first, although
// scores on an easy split are much higher. The score is that of the original split alone.
func TestSplitsAreComparedWithin(t *testing.T) {
	var trials []task.Trial
	add := func(stage task.Stage, name string, split int, score float64) {
		trials = append(trials, task.Trial{
			Number: len(trials) + 1, Stage: stage, Name: name, Split: split,
			Structure: structure.MustParse(name), State: task.Complete, Score: &score,
		})
	}
	add(task.Retraining, "complex", 0, .32)
	add(task.Retraining, "distmult", 0, .30)
	for split, scores := range [][2]float64{{.70, .66}, {.65, .68}} {
		add(task.Resplit, "complex", split+1, scores[0])
		add(task.Resplit, "distmult", split+1, scores[1])
	}
	add(task.Resplit, "complex", 3, .9) // not on this split: no comparison
	trials[len(trials)-1].State = task.Running
	all := search.RetrainedOf(trials)
	if all[0].Name != "complex" || math.Abs(all[0].Lead-.005) > 1e-12 ||
		math.Abs(all[1].Lead+.005) > 1e-12 || all[0].Score() != .32 || len(all[0].Splits) != 2 {
		t.Errorf("%+v", all)
	}
}
