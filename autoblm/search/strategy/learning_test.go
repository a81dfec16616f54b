package strategy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"gonum.org/v1/gonum/stat"
)

// likeness returns the share of cells in which two structures agree.
func likeness(a, b structure.Structure) float64 {
	same := 0
	for cell := range a.K() * a.K() {
		if a.At(cell/a.K(), cell%a.K()) == b.At(cell/a.K(), cell%a.K()) {
			same++
		}
	}
	return float64(same) / float64(a.K()*a.K())
}

// TestLearningBeatsChance: if the reward is the similarity to a hidden structure, learning strategies
// find better structures than Random with the same budget.
func TestLearningBeatsChance(t *testing.T) {
	const budget, seeds = 64, 8
	top := func(strategy Strategy) (means []float64) {
		for seed := range uint64(seeds) {
			s := budgeted{Options: paperOptions()}
			s.K, s.Budget, s.Filter, s.Seed = 3, budget, NoFilter, seed
			rng := rand.New(rand.NewPCG(seed, 1000))
			hidden := structure.Zero(3)
			for cell := range 9 {
				hidden = hidden.With(cell/3, cell%3, rng.IntN(7)-3)
			}
			history, why := playWith(t, strategy, s, func(_ int, a structure.Structure) *float64 {
				score := likeness(a, hidden)
				return &score
			})
			if len(history) != budget {
				t.Fatalf("%s: %d structures: %s", strategy.Name(), len(history), why)
			}
			slices.SortFunc(
				history,
				func(a, b task.Trial) int { return int(1e6 * (b.ScoreOrZero() - a.ScoreOrZero())) },
			)
			sum := 0.0
			for _, trial := range history[:8] {
				sum += trial.ScoreOrZero()
			}
			means = append(means, sum/8)
		}
		return means
	}
	chance := top(Random{})
	for _, algorithm := range []Strategy{TPE{}, Reinforce{}} {
		t.Run(algorithm.Name(), func(t *testing.T) {
			learned := top(algorithm)
			gains := make([]float64, seeds)
			for i := range gains {
				gains[i] = learned[i] - chance[i]
			}
			mean, deviation := stat.MeanStdDev(gains, nil)
			t.Logf("the best 8 of %d agree in %.3f of the cells, by chance in %.3f", budget,
				stat.Mean(learned, nil), stat.Mean(chance, nil))
			if mean < 0.05 || mean < 3*deviation/math.Sqrt(seeds) {
				t.Errorf("gains %.3f: a mean of %.3f, with a standard error of %.3f", gains, mean,
					deviation/math.Sqrt(seeds))
			}
		})
	}
}
