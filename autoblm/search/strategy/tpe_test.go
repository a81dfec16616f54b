package strategy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

func TestGoodTrialsAreFewAndComplete(t *testing.T) {
	for _, test := range []struct{ trials, good int }{ // hyperopt: min(ceil(0.25·√n), 25)
		{20, 2}, {64, 2}, {65, 3}, {256, 4}, {10_000, 25}, {40_000, 25},
	} {
		trials := ranked(make([]structure.Structure, test.trials))
		rand.New(rand.NewPCG(1, 1)).
			Shuffle(len(trials), func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
		trials[0].State, trials[0].Score = task.Diverged, nil
		good, bad := splitByScore(trials)
		if len(good) != test.good || len(good)+len(bad) != test.trials {
			t.Errorf("%d good and %d bad of %d, want %d good", len(good), len(bad), test.trials,
				test.good)
		}
		worst := slices.MinFunc(
			good,
			func(a, b task.Trial) int { return int(math.Copysign(1, a.ScoreOrZero()-b.ScoreOrZero())) },
		)
		for _, b := range bad {
			if b.ScoreOrZero() > worst.ScoreOrZero() {
				t.Errorf("a bad trial has MRR %v, a good one %v", b.ScoreOrZero(),
					worst.ScoreOrZero())
			}
		}
		if bad[len(bad)-1].State != task.Diverged {
			t.Error("the failed trial is not the worst")
		}
	}
}

// TestEstimateOfEntries: three trials and a prior of one over five entries.
func TestEstimateOfEntries(t *testing.T) {
	trials := ranked([]structure.Structure{
		structure.MustParse("1,0;0,2"),
		structure.MustParse("1,0;2,-2"),
		structure.MustParse("-1,0;0,1"),
	})
	d := estimateEntries(2, trials)
	for cell, want := range [][]float64{ // counts of -2, -1, 0, 1, 2
		{0, 1, 0, 2, 0}, {0, 0, 3, 0, 0}, {0, 0, 2, 0, 1}, {1, 0, 0, 1, 1},
	} {
		for i, count := range want {
			if got, want := d.probabilities[cell][i], (count+0.2)/4; math.Abs(got-want) > 1e-12 {
				t.Errorf("cell %d, entry %d: probability %v, want %v", cell, i-2, got, want)
			}
		}
	}
	if got, want := d.logProbability(structure.MustParse("1,0;2,-2")), math.Log(2.2*3.2*1.2*1.2/256); math.Abs(got-want) > 1e-12 {
		t.Errorf("log probability %v, want %v", got, want)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	const draws = 20_000
	same := 0
	for range draws {
		if d.draw(rng) == structure.MustParse("1,0;0,2") {
			same++
		}
	}
	want := 2.2 * 3.2 * 2.2 * 1.2 / 256
	if got := float64(same) / draws; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/draws) {
		t.Errorf("a structure of probability %v was drawn with frequency %v", want, got)
	}
}

// TestTPETakesTheBestCandidate: good trials have a 1 on the diagonal and bad ones a 2; elsewhere they
// are alike. Nearly all of 24 candidates begin with 1s.
func TestTPETakesTheBestCandidate(t *testing.T) {
	s := paperOptions()
	s.K, s.Filter, s.RoundSize = 2, NoFilter, 30
	var structures []structure.Structure
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range 64 {
		diagonal := 2
		if i < 2 {
			diagonal = 1
		}
		a := structure.Zero(2).With(0, 0, diagonal).With(1, 1, diagonal)
		structures = append(structures, a.With(0, 1, rng.IntN(5)-2).With(1, 0, rng.IntN(5)-2))
	}
	p, err := TPE{}.Propose(s, 9, ranked(structures), 30, rng)
	if err != nil || len(p.Structures) != 30 || p.Predictions != nil {
		t.Fatalf("%d structures, predictions %v, %v", len(p.Structures), p.Predictions, err)
	}
	for _, a := range p.Structures {
		if a.At(0, 0) != 1 || a.At(1, 1) != 1 {
			t.Errorf("%s has not the diagonal of the good ones", a)
		}
	}
}
