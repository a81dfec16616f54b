package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"pgregory.net/rapid"
)

func evaluation(mrr float64, triples int) *completion.Evaluation {
	return &completion.Evaluation{Triples: triples, Both: eval.Metrics{MRR: mrr}}
}

// judged is a trial of these metrics.
func judged(trial task.Trial, valid, test *completion.Evaluation) task.Trial {
	e := completion.Evaluations{Valid: valid, Test: test}
	trial.State = task.Complete
	trial.Score, trial.TestScore = e.Scores()
	var err error
	if trial.Details, err = e.Details(); err != nil {
		panic(err)
	}
	return trial
}

// The bound holds for the standard error that the ranks themselves give.
func TestStandardErrorIsABound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ranks []eval.Ranked
		var means []float64
		sum := 0.0
		for range rapid.IntRange(2, 40).Draw(t, "triples") {
			head, tail := rapid.IntRange(1, 50).Draw(t, "head"), rapid.IntRange(1, 50).Draw(t, "tail")
			ranks = append(ranks, eval.Ranked{Head: rankOf(head), Tail: rankOf(tail)})
			means = append(means, (1/float64(head)+1/float64(tail))/2)
			sum += means[len(means)-1]
		}
		n := float64(len(means))
		variance := 0.0
		for _, m := range means {
			variance += (m - sum/n) * (m - sum/n) / n
		}
		e := completion.Summarize(ranks, eval.Pessimistic)
		if bound, measured := standardError(e.Both.MRR, e.Triples), math.Sqrt(variance/n); measured > bound+1e-9 {
			t.Errorf("standard error %v is above the bound %v", measured, bound)
		}
	})
}

// rankOf is a rank without ties.
func rankOf(rank int) eval.Rank { return eval.Rank{Better: int32(rank - 1)} }

// trialsWith are trials of one round with these results; NaN failed.
func trialsWith(mrrs []float64) []task.Trial {
	var trials []task.Trial
	for i, m := range mrrs {
		trial := task.Trial{Number: i + 1, Stage: task.Searching, Round: 1, Structure: structure.MustParse("1,2;0,1"), State: task.Failed}
		if !math.IsNaN(m) {
			trial = judged(trial, evaluation(m, 100), nil)
		}
		trials = append(trials, trial)
	}
	return trials
}

func TestMeanOfTheBestEight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mrrs := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 1), rapid.Just(math.NaN())), 0, 20).Draw(t, "MRR")
		numbers := slices.DeleteFunc(slices.Clone(mrrs), math.IsNaN)
		slices.Sort(numbers)
		got := meanOfTop(trialsWith(mrrs))
		if len(numbers) < 8 {
			if !math.IsNaN(got) {
				t.Errorf("mean %v of %d results", got, len(numbers))
			}
			return
		}
		want := 0.0
		for _, m := range numbers[len(numbers)-8:] {
			want += m / 8
		}
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("mean %v, want %v", got, want)
		}
	})
}

// The curve over seconds ends at the sum of all times, and where that over trainings ends.
func TestBothCurvesEndAlike(t *testing.T) {
	o := newOutcome(ofSearch(t))
	byTrainings, bySeconds := o.byTrainings(), o.bySeconds()
	for n := 1; n <= 2; n++ {
		a, b := byTrainings.Series[n].Points, bySeconds.Series[n].Points
		if a[len(a)-1].Y != b[len(b)-1].Y {
			t.Errorf("%s ends at %v and %v", byTrainings.Series[n].Name, a[len(a)-1], b[len(b)-1])
		}
	}
	seconds := 0.0
	for _, trial := range o.Trials {
		if trial.Round > 0 && trial.Name == "" {
			seconds += trial.Seconds
		}
	}
	for _, r := range o.Rounds {
		seconds += r.Seconds
	}
	if last := bySeconds.Marks[len(bySeconds.Marks)-1]; math.Abs(last-seconds) > 1e-9 {
		t.Errorf("the rounds end after %v s, the times add up to %v s", last, seconds)
	}
	if ends := len(byTrainings.Marks); ends != len(o.Rounds)-1 {
		t.Errorf("%d marks between %d rounds", ends, len(o.Rounds))
	}
}

func TestFewBadStructuresAreNotDrawn(t *testing.T) {
	d := Data{Contents: study.Contents{Trials: trialsWith([]float64{0.80, 0.81, 0.79, 0.82, 0.80, 0.05})}}
	o := newOutcome(d)
	if names := o.notDrawn(); !slices.Equal(names, []string{"1 structure"}) {
		t.Errorf("not drawn: %v", names)
	}
	if points := o.byTrainings().Series[0].Points; len(points) != 5 {
		t.Errorf("%d structures are drawn, want 5", len(points))
	}
	d.Trials = trialsWith([]float64{0.1, 0.2, 0.3, 0.4, 0.5})
	if names := newOutcome(d).notDrawn(); len(names) != 0 {
		t.Errorf("evenly spread results are not drawn: %v", names)
	}
}

func TestStructureTrainedTwiceInTwoGuises(t *testing.T) {
	trials := trialsWith([]float64{0.5, 0.7, 0.62})
	trials[0].Structure, trials[1].Structure = structure.MustParse("1,0;0,2"), structure.MustParse("1,2;2,-1")
	trials[2].Structure = structure.MustParse("-2,0;0,1") // the first one's class
	o := newOutcome(Data{Contents: study.Contents{Trials: trials}})
	if by, of, ok := o.bySeed(); !ok || math.Abs(by-0.12) > 1e-12 || of != trials[0].Canonical() {
		t.Errorf("%v apart, %v, %v", by, of, ok)
	}
	trials[2].Recipe.Seed = 9
	if _, _, ok := newOutcome(Data{Contents: study.Contents{Trials: trials}}).bySeed(); ok {
		t.Error("trials by two recipes were compared")
	}
}

// Spearman within rounds does not see differences between rounds.
func TestSpearmanWithinRounds(t *testing.T) {
	var trials []task.Trial
	for round := range 3 {
		for i := range 4 {
			trial := trialsWith([]float64{0.3*float64(round) + 0.01*float64(i)})[0]
			guess := 0.3*float64(round) - 0.01*float64(i)
			trial.Number, trial.Round, trial.Prediction = 4*round+i+1, round+1, &guess
			trials = append(trials, trial)
		}
	}
	o := newOutcome(Data{Contents: study.Contents{Trials: trials}})
	if mean, rounds := o.correlationWithin(); rounds != 3 || math.Abs(mean+1) > 1e-12 {
		t.Errorf("%v within %d rounds, want -1 within 3", mean, rounds)
	}
	if rho, n := rankCorrelation(o.found); n != 12 || rho < 0.5 {
		t.Errorf("%v over all %d, want a high one over 12", rho, n)
	}
}

func TestVerdict(t *testing.T) {
	compared := func(foundValid, foundTest, namedValid, namedTest float64, found string) string {
		trials := []task.Trial{
			judged(task.Trial{Number: 1, Stage: task.Searching, Name: "complex", Structure: structure.MustParse("complex")}, evaluation(namedValid, 1000), evaluation(namedTest, 1000)),
			judged(task.Trial{Number: 2, Stage: task.Searching, Round: 1, Structure: structure.MustParse(found)}, evaluation(foundValid, 1000), evaluation(foundTest, 1000)),
		}
		return strings.Join(Data{Words: completion.NewPresentation(), Contents: study.Contents{Trials: trials}}.Verdict(), " ")
	}
	const other = "1,0,0,0;0,2,0,0;0,0,3,1;0,0,0,4"
	for _, c := range []struct {
		says  string
		words string
	}{
		{compared(0.6, 0.6, 0.5, 0.5, other), "clearly more than the noise"},
		{compared(0.52, 0.6, 0.5, 0.5, other), "a little more than the noise"}, // a standard error is 0.016
		{compared(0.6, 0.51, 0.5, 0.5, other), "on validation and on test, by less than the noise"},
		{compared(0.6, 0.49, 0.5, 0.5, other), "on validation, but not on test"},
		{compared(0.5, 0.6, 0.5, 0.5, other), "No structure found beats the best human-designed one, ComplEx"},
		{compared(0.6, 0.6, 0.5, 0.5, "analogy"), "is Analogy in another guise"},
		{compared(1, 1, 1, 1, other), "No structure found beats"},
	} {
		if !strings.Contains(c.says, c.words) {
			t.Errorf("the verdict is %q, want %q in it", c.says, c.words)
		}
	}
}
