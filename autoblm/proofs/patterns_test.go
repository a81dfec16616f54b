package proofs_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/proofs"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"gonum.org/v1/gonum/floats"
)

// patterns says which patterns of relations a model has.
type patterns struct{ symmetric, directed, inverts, composes, ordered bool }

// TestPatternsOfModels compares the patterns of each model with what its formula says.
func TestPatternsOfModels(t *testing.T) {
	none := structure.Structure{}
	double := func(x []float64, by ...float64) []float64 { // multiplies each half by a number
		y, half := slices.Clone(x), len(x)/len(by)
		for i, factor := range by {
			floats.Scale(factor, y[i*half:][:half])
		}
		return y
	}
	sum := func(x, y []float64) []float64 { return floats.AddTo(make([]float64, len(x)), x, y) }
	product := func(x, y []float64) []float64 { return floats.MulTo(make([]float64, len(x)), x, y) }
	swapped := func(x []float64) []float64 { return slices.Concat(x[len(x)/2:], x[:len(x)/2]) }
	half := make([]float64, 4)
	copy(half, []float64{math.Pi, math.Pi, 0, math.Pi}) // turns by half a circle, or not at all
	for name, c := range map[string]struct {
		model    proofs.Model
		want     patterns
		symmetry func() []float64 // starts, for scores that are not linear in relations
		inverse  func(r []float64) []float64
		compose  func(r, s []float64) []float64
	}{
		"distmult": {proofs.NewModel(form.Bilinear, structure.MustParse("distmult"), 8),
			patterns{true, false, true, true, false}, nil, nil, nil},
		"simple": {proofs.NewModel(form.Bilinear, structure.MustParse("simple"), 8),
			patterns{true, true, true, false, true}, nil, nil, nil},
		"complex": {proofs.NewModel(form.Bilinear, structure.MustParse("complex"), 8),
			patterns{true, true, true, true, false}, nil, nil, nil},
		"analogy": {proofs.NewModel(form.Bilinear, structure.MustParse("analogy"), 8),
			patterns{true, true, true, true, false}, nil, nil, nil},
		"quate": {proofs.NewModel(form.Bilinear, structure.MustParse("quate"), 8),
			patterns{true, true, true, true, true}, nil, nil, nil},
		"rescal": {proofs.NewModel(form.GQE, none, 3),
			patterns{true, true, true, true, true}, nil, nil, nil},
		"tucker": {proofs.NewModel(form.Tucker, none, 4),
			patterns{false, true, false, false, true}, nil, nil, nil},
		"transe": {proofs.NewModel(form.TransE, none, 4), patterns{false, true, true, true, false}, nil,
			func(r []float64) []float64 { return double(r, -1) }, sum},
		"transh": {proofs.NewModel(form.TransH, none, 4), patterns{true, true, true, false, true},
			func() []float64 { return []float64{0, 0, 0, 0, 0, 3, 4, 0} },
			func(r []float64) []float64 { return double(r, -1, 1) }, nil},
		"rotate": {proofs.NewModel(form.RotatE, none, 8), patterns{true, true, true, true, false},
			func() []float64 { return half },
			func(r []float64) []float64 { return double(r, -1) }, sum},
		"pairre": {proofs.NewModel(form.PairRE, none, 4), patterns{true, true, true, true, false},
			func() []float64 { return []float64{1, 2, -3, 4, 1, -2, -3, 4} }, swapped, product},
	} {
		m := c.model
		rng := rand.New(rand.NewPCG(9, 1))
		r, s := m.RandomRelation(rng), m.RandomRelation(rng)
		var symmetry, inverse, compose [][]float64
		if c.symmetry != nil {
			symmetry = append(symmetry, c.symmetry())
		}
		if c.inverse != nil {
			inverse = append(inverse, c.inverse(r))
		}
		if c.compose != nil {
			compose = append(compose, c.compose(r, s))
		}
		got := patterns{m.Symmetric(symmetry...), m.Directed(), m.Inverts(r, inverse...),
			m.Composes(r, s, compose...), m.Ordered(r, s)}
		if got != c.want {
			t.Errorf("%s has the patterns %+v, want %+v", name, got, c.want)
		}
	}
}
