package predictor_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/predictor"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"gonum.org/v1/gonum/stat"
)

// sample draws structures of four chunks, with a score that depends on what
// symmetry they allow, and some noise.
func sample(n int, seed uint64) (structures []structure.Structure, scores []float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for range n {
		rows := make([][]int, 4)
		for i := range rows {
			for range 4 {
				rows[i] = append(rows[i], []int{0, 0, rng.IntN(9) - 4}[rng.IntN(3)])
			}
		}
		s, err := structure.New(rows)
		if err != nil {
			panic(err)
		}
		score := 0.02 * rng.NormFloat64()
		if s.SymmetricWitness() != nil {
			score += 0.2
		}
		if s.SkewSymmetricWitness() != nil {
			score += 0.3
		}
		structures, scores = append(structures, s), append(scores, score)
	}
	return structures, scores
}

func TestPredictsUnseenStructures(t *testing.T) {
	structures, scores := sample(80, 1)
	unseen, truth := sample(200, 2)
	fitted, err := predictor.Fit(predictor.DefaultSettings(), structures, scores, 1)
	if err != nil {
		t.Fatal(err)
	}
	guesses, err := fitted.Predict(unseen)
	if err != nil {
		t.Fatal(err)
	}
	if r := stat.Correlation(guesses, truth, nil); r < 0.8 {
		t.Errorf("correlation with the truth is %.2f, want at least 0.8", r)
	}
}

func TestFitIsAPureFunction(t *testing.T) {
	structures, scores := sample(24, 3)
	unseen, _ := sample(50, 4)
	for _, features := range []predictor.Features{predictor.SRF, predictor.OneHot} {
		settings := predictor.DefaultSettings()
		settings.Features = features
		guess := func(seed uint64) []float64 {
			fitted, err := predictor.Fit(settings, structures, scores, seed)
			if err != nil {
				t.Fatal(err)
			}
			guesses, err := fitted.Predict(unseen)
			if err != nil {
				t.Fatal(err)
			}
			return guesses
		}
		for _, seed := range []uint64{0, 1, 1 << 63} {
			if first := guess(seed); !slices.Equal(first, guess(seed)) {
				t.Errorf("%v: two fits with seed %d differ", features, seed)
			} else if slices.Equal(first, guess(seed+2)) {
				t.Errorf("%v: seeds %d and %d give the same fit", features, seed, seed+2)
			}
		}
	}
}

func TestFitOfOneScore(t *testing.T) {
	structures, _ := sample(3, 5)
	fitted, err := predictor.Fit(predictor.DefaultSettings(), structures, []float64{0.4, 0.4, 0.4}, 1)
	if err != nil {
		t.Fatal(err)
	}
	guesses, err := fitted.Predict(structures)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range guesses {
		if g < 0.2 || g > 0.6 {
			t.Errorf("guesses %v, want near 0.4", guesses)
		}
	}
	if _, err := predictor.Fit(predictor.DefaultSettings(), nil, nil, 1); err == nil {
		t.Error("a fit to nothing gave no error")
	}
}

func BenchmarkFit(b *testing.B) {
	structures, scores := sample(64, 1)
	for b.Loop() {
		if _, err := predictor.Fit(predictor.DefaultSettings(), structures, scores, 1); err != nil {
			b.Fatal(err)
		}
	}
}
