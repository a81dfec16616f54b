package recipe

import (
	"math"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// TestDistanceRecipes compares the recipes with the lines of best_config.sh, and of the README of
// PairRE: steps, batch, negatives, coordinates, margin, temperature and learning rate.
func TestDistanceRecipes(t *testing.T) {
	for what, source := range map[[2]string]struct {
		batch, negatives, coordinates int
		margin, temperature, rate     float64
		steps, triples                int
	}{
		{"rotate transe", "wn18rr"}:    {512, 1024, 500, 6, .5, 5e-5, 80_000, 86_835},
		{"rotate transe", "fb15k-237"}: {1024, 256, 1000, 9, 1, 5e-5, 100_000, 272_115},
		{"pairre", "fb15k-237"}:        {1024, 256, 1500, 6, 1, 5e-5, 100_000, 272_115},
		{"pairre", "fb15k"}:            {1024, 256, 1500, 15, 1, 1e-4, 150_000, 483_142},
		{"pairre", "ogbl_biokg"}:       {512, 128, 2000, 12, 1, 1e-3, 300_000, 4_762_678},
	} {
		dataset := what[1]
		for name := range strings.FieldsSeq(what[0]) {
			r := named(t, name, dataset)
			dim, limit := source.coordinates, (source.margin+2)/float64(source.coordinates)
			relationRate := 0.0
			if name == "rotate" {
				dim, relationRate = 2*dim, math.Pi/limit
			}
			want := kge.Settings{Dim: dim, Batch: source.batch, Optimizer: kge.Adam,
				Sampling: kge.Sampling{Negatives: source.negatives, Margin: source.margin},
				SelfAdversarial: kge.SelfAdversarial{
					AdversarialTemperature: source.temperature, Subsampling: true},
			}
			s := r.Training
			got := kge.Settings{Dim: s.Dim, Batch: s.Batch, Optimizer: s.Optimizer, Sampling: s.Sampling,
				SelfAdversarial: s.SelfAdversarial}
			if got != want || r.LearningRate != source.rate || r.Form.String() != name ||
				math.Abs(s.RelationRate-relationRate) > 1e-9 ||
				math.Abs(s.InitScale-limit/math.Sqrt(3)) > 1e-12 {
				t.Errorf("%s for %s: %+v", name, dataset, r)
			}
			if steps := 2 * float64(s.Epochs*source.triples) / float64(s.Batch); math.Abs(
				steps/float64(source.steps)-1) > .01 {
				t.Errorf("%s for %s has %.0f steps in one direction", name, dataset, steps)
			}
		}
	}
}

// TestDistancesOnAnyGraph: distance models and TuckER have a recipe by name for a graph without published
// settings, which trains it and chooses the epoch by validation.
func TestDistancesOnAnyGraph(t *testing.T) {
	for name, f := range map[string]form.Form{
		"transe": form.TransE, "transh": form.TransH, "rotate": form.RotatE, "pairre": form.PairRE,
		"tucker": form.Tucker,
	} {
		r := named(t, name, "mine")
		if r.Form != f || r.Training.ValidateEvery == 0 {
			t.Errorf("%s is for %v and validates every %d epochs", name, r.Form, r.Training.ValidateEvery)
		}
		if err := r.Training.ValidateFor(r.Member(r.Structure, 1)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
