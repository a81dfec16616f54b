package surrogate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search/surrogate"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"gonum.org/v1/gonum/stat"
)

// sample draws structures with four chunks. Their scores depend on the symmetries that they
// allow, plus noise.
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

// predict fits and predicts the scores of other structures.
func predict(
	s surrogate.Settings, fitted []structure.Structure, scores []float64, seed uint64,
	unseen []structure.Structure,
) ([]float64, error) {
	p, err := surrogate.Fit(s, fitted, scores, seed)
	if err != nil {
		return nil, err
	}
	return p.Predict(unseen)
}

// predictions calls predict with the default settings.
func predictions(
	t *testing.T, fitted []structure.Structure, scores []float64, unseen []structure.Structure,
) []float64 {
	t.Helper()
	guesses, err := predict(surrogate.DefaultSettings(), fitted, scores, 1, unseen)
	if err != nil {
		t.Fatal(err)
	}
	return guesses
}

func TestPredictsUnseenStructures(t *testing.T) {
	structures, scores := sample(80, 1)
	unseen, truth := sample(200, 2)
	guesses := predictions(t, structures, scores, unseen)
	if r := stat.Correlation(guesses, truth, nil); r < 0.8 {
		t.Errorf("correlation with the truth is %.2f, want at least 0.8", r)
	}
}

func TestFitIsAPureFunction(t *testing.T) {
	structures, scores := sample(24, 3)
	unseen, _ := sample(50, 4)
	for _, features := range []surrogate.Features{surrogate.SRF, surrogate.OneHot} {
		settings := surrogate.DefaultSettings()
		settings.Features = features
		guess := func(seed uint64) []float64 {
			guesses, err := predict(settings, structures, scores, seed, unseen)
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

// TestFitsAreIndependent checks that neither earlier nor concurrent fits change a bit.
func TestFitsAreIndependent(t *testing.T) {
	unseen, _ := sample(30, 6)
	guess := func(n int) []float64 {
		structures, scores := sample(n, uint64(n))
		guesses, err := predict(surrogate.DefaultSettings(), structures, scores, 1, unseen)
		if err != nil {
			t.Error(err)
		}
		return guesses
	}
	sizes := []int{1, 2, 15, 16, 17, 40, 64, 65}
	var want [][]float64
	for _, n := range sizes {
		want = append(want, guess(n))
	}
	var group sync.WaitGroup
	for i, n := range slices.Backward(sizes) {
		group.Go(func() {
			if !slices.Equal(guess(n), want[i]) {
				t.Errorf("a concurrent fit to %d structures gives other predictions", n)
			}
		})
	}
	group.Wait()
}

// TestPredictionsAreIndependent checks that the prediction for a structure does not depend on
// the others in the call.
func TestPredictionsAreIndependent(t *testing.T) {
	structures, scores := sample(24, 3)
	unseen, _ := sample(40, 4)
	fitted, err := surrogate.Fit(surrogate.DefaultSettings(), structures, scores, 1)
	if err != nil {
		t.Fatal(err)
	}
	together, err := fitted.Predict(unseen)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range unseen {
		alone, err := fitted.Predict([]structure.Structure{s})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(alone[0]-together[i]) > 1e-5 {
			t.Errorf("%s: prediction %v alone, %v among others", s, alone[0], together[i])
		}
	}
	if none, err := fitted.Predict(nil); err != nil || len(none) != 0 {
		t.Errorf("no structures: predictions %v, error %v", none, err)
	}
}

// TestRepeatsAreWeights checks that repeating all structures three times does not change
// predictions.
func TestRepeatsAreWeights(t *testing.T) {
	structures, scores := sample(12, 7)
	unseen, _ := sample(30, 8)
	once := predictions(t, structures, scores, unseen)
	thrice := predictions(t, slices.Repeat(structures, 3), slices.Repeat(scores, 3), unseen)
	for i := range unseen {
		if math.Abs(once[i]-thrice[i]) > 1e-4 {
			t.Errorf("%s: prediction %v, with repeated structures %v", unseen[i], once[i], thrice[i])
		}
	}
}

func TestRefusals(t *testing.T) {
	structures, scores := sample(3, 5)
	small := structure.MustParse("1,0;0,2")
	fit := func(structures []structure.Structure, scores ...float64) error {
		_, err := surrogate.Fit(surrogate.DefaultSettings(), structures, scores, 1)
		return err
	}
	with := func(change func(s *surrogate.Settings)) error {
		s := surrogate.DefaultSettings()
		change(&s)
		_, err := surrogate.Fit(s, structures, scores, 1)
		return err
	}
	for name, err := range map[string]error{
		"nothing":              fit(nil),
		"a score too many":     fit(structures[:2], scores...),
		"two K":                fit(append(slices.Clone(structures[:2]), small), scores...),
		"no structure":         fit([]structure.Structure{{}}, scores[0]),
		"a score not a number": fit(structures, 0, math.NaN(), 0),
		"an infinite score":    fit(structures, 0, math.Inf(1), 0),
		"no hidden units":      with(func(s *surrogate.Settings) { s.Hidden = 0 }),
		"no steps":             with(func(s *surrogate.Settings) { s.Steps = 0 }),
		"endless steps":        with(func(s *surrogate.Settings) { s.Steps = math.MaxInt }),
		"no learning rate":     with(func(s *surrogate.Settings) { s.LearningRate = 0 }),
		"infinite decay":       with(func(s *surrogate.Settings) { s.WeightDecay = math.Inf(1) }),
		"unknown features":     with(func(s *surrogate.Settings) { s.Features = 7 }),
		"a huge learning rate": with(func(s *surrogate.Settings) { s.LearningRate = 1e9 }),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	fitted, err := surrogate.Fit(surrogate.DefaultSettings(), structures, scores, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fitted.Predict([]structure.Structure{small}); err == nil {
		t.Error("no error for a structure with another K")
	}
}

func TestFitOfOneScore(t *testing.T) {
	structures, _ := sample(3, 5)
	guesses := predictions(t, structures, []float64{0.4, 0.4, 0.4}, structures)
	for _, g := range guesses {
		if g < 0.2 || g > 0.6 {
			t.Errorf("predictions %v, want about 0.4", guesses)
		}
	}
}

func BenchmarkFit(b *testing.B) {
	structures, scores := sample(64, 1)
	for b.Loop() {
		if _, err := surrogate.Fit(surrogate.DefaultSettings(), structures, scores, 1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPredict(b *testing.B) {
	structures, scores := sample(64, 1)
	candidates, _ := sample(128, 2)
	fitted, err := surrogate.Fit(surrogate.DefaultSettings(), structures, scores, 1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := fitted.Predict(candidates); err != nil {
			b.Fatal(err)
		}
	}
}
