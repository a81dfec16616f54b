package recipe

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// TestStructuresOfOGB compares structures with the functions AutoSF of biokg/model.py and
// wikikg2/model.py, which multiply chunks of head and relation and sum them for each chunk of tails.
func TestStructuresOfOGB(t *testing.T) {
	for dataset, query := range map[string]func(h, r [4]float64) [4]float64{
		"ogbl_biokg": func(h, r [4]float64) [4]float64 {
			return [4]float64{h[0] * r[0], h[0]*r[0] + h[1]*r[1], h[2] * r[2], h[3] * r[3]}
		},
		"ogbl_wikikg2": func(h, r [4]float64) [4]float64 {
			return [4]float64{h[0] * r[0], h[1]*r[1] - h[3]*r[1], h[2]*r[0] + h[3]*r[3],
				h[1]*r[2] + h[2]*r[2]}
		},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		draw := func() (x [4]float64) {
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			return x
		}
		for range 20 {
			h, r, tail := draw(), draw(), draw()
			want := 0.0
			for i, q := range query(h, r) {
				want += q * tail[i]
			}
			if got := named(t, "autosf-ogb", dataset).Structure.Score(h[:], r[:], tail[:]); math.Abs(
				got-want) > 1e-12 {
				t.Errorf("%s: the score is %v, want %v", dataset, got, want)
			}
		}
	}
}

// TestSettingsOfOGB compares with the lines of examples.sh. The weights are those of Σ|x|³ over all
// rows, with four times the authors' weight, because the loss is four times theirs.
func TestSettingsOfOGB(t *testing.T) {
	for dataset, source := range map[string]struct {
		negatives, batch, dim          int
		margin, temperature, rate      float64
		steps, triples                 int
		entities, relations, published float64
	}{
		"ogbl_biokg":   {256, 2048, 2000, 200, 1, 1e-3, 100_000, 4_762_678, 93_773, 51, .8309},
		"ogbl_wikikg2": {512, 1024, 200, 50, 3, 3e-3, 200_000, 16_109_182, 2_500_604, 535, .5458},
	} {
		r := named(t, "autosf-ogb", dataset)
		s := r.Training
		want := kge.Sampling{Negatives: source.negatives} // no margin in scores
		if s.Sampling != want || s.AdversarialTemperature != source.temperature || !s.Subsampling ||
			s.Dim != source.dim || s.Batch != source.batch || s.Optimizer != kge.Adam || s.Reciprocal ||
			r.LearningRate != source.rate || r.Published.MRR != source.published {
			t.Errorf("%s: %+v", dataset, r)
		}
		if steps := 2 * float64(s.Epochs*source.triples) / float64(s.Batch); math.Abs(
			steps/float64(source.steps)-1) > .06 {
			t.Errorf("%s has %.0f steps in one direction", dataset, steps)
		}
		// A used row counts by 1/frequency, so that all entities share two places, and all relations
		// one.
		near(t, dataset, []float64{r.EntityN3 * 2 / source.entities, r.RelationN3 / source.relations},
			[]float64{4e-7, 4e-7})
		if limit := (source.margin + 2) / float64(source.dim); r.PenaltyFrequency != 1 ||
			math.Abs(s.InitScale-limit/math.Sqrt(3)) > 1e-12 {
			t.Errorf("%s: penalty frequency %v, initial scale %v", dataset, r.PenaltyFrequency, s.InitScale)
		}
		if err := s.ValidateFor(r.Member(r.Structure, 1)); err != nil {
			t.Error(err)
		}
	}
}
