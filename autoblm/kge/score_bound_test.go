package kge_test

import (
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestBoundOfTranslatedModels checks that a translation of 0 adds one rounding per hop to the bound
// of the model without it.
func TestBoundOfTranslatedModels(t *testing.T) {
	d := completion.Data(enginetest.SmallGraph())
	m := kge.Member{Structure: structure.MustParse("quate"), Seed: 1}
	s := kge.Settings{Dim: 16, InitScale: 1, Reciprocal: true}
	plain := kge.Initialize(d, s, m)
	s.Translate = true
	moved := kge.Initialize(d, s, m)
	copy(moved.Entities, plain.Entities)
	copy(moved.Relations, plain.Relations)
	clear(moved.More[0])
	q := kge.Question{Anchor: 1, Path: []int32{0, 3}}
	of := func(p kge.Parameters) float64 { return kge.NewScoreBound(nil, p, len(d.Relations)).Of(q) }
	roundings := 16 + 16 + 2*(4+8.0)
	closeTo(t, "ratio of the bounds", of(moved)/of(plain)-1, 2/roundings)
}

// TestBoundOfDistances compares the native engine's scores of distance models with their definition,
// for numbers of several scales.
func TestBoundOfDistances(t *testing.T) {
	const dim = 64
	d, engine := completion.Data(enginetest.SmallGraph()), cpu.New(1)
	defer engine.Close()
	for _, f := range []form.Form{form.TransE, form.RotatE, form.Query2box, form.TransH, form.PairRE} {
		for _, scale := range []float64{0.1, 1, 1e3, 1e6} {
			if f == form.PairRE && scale == 1e6 {
				continue // a product of three relations is out of range
			}
			s := kge.Settings{Dim: dim, InitScale: scale}
			p := kge.Initialize(d, s, kge.Member{Form: f, Seed: 1})
			ranker, err := engine.NewRanker([]kge.Parameters{p}, kge.Float32)
			require.NoError(t, err)
			bound := kge.NewScoreBound(engine, p, len(d.Relations))
			questions := []kge.Question{
				{Anchor: 1, Path: []int32{0}}, {Anchor: 2, Path: []int32{3}},
				{Anchor: 3, Path: []int32{2, 1}}, {Anchor: 4, Path: []int32{0, 3, 1}},
			}
			visit := func(i int, scores []float32) {
				exact, most := p.Scorer(questions[i], len(d.Relations)), bound.Of(questions[i])
				largest := 0.0
				for entity, score := range scores {
					want := exact(int32(entity))
					largest = max(largest, math.Abs(want))
					if off := math.Abs(float64(score) - want); off > most {
						t.Errorf("%v, scale %v, path %v: a score is %v instead of %v, the bound %v",
							f, scale, questions[i].Path, score, want, most)
					}
				}
				if most > 0.01*largest {
					t.Errorf("%v, scale %v: the bound is %v for scores up to %v", f, scale, most, largest)
				}
			}
			require.NoError(t, ranker.Scores(t.Context(), 0, questions, visit))
			ranker.Close()
		}
	}
}

// TestBoundOfConvE checks the bounds of both engines for a query whose terms cancel, so that float32
// rounds all of it away. All pixels are 1, and the weights of two of them are large and opposite.
func TestBoundOfConvE(t *testing.T) {
	const dim = 4
	d := completion.Data(enginetest.SmallGraph())
	sizes := form.ConvE{Height: 1, Filters: 1, Size: 1}
	s := kge.Settings{Dim: dim, InitScale: 1, Reciprocal: true}
	p := kge.Initialize(d, s, kge.Member{Form: sizes.Form(), Seed: 1})
	q := kge.Question{Anchor: 1, Path: []int32{0}}
	for i := range dim {
		p.Entities[1*dim+i], p.Relations[i] = 1, 1
	}
	weights := p.More[1] // [2·dim, dim]
	clear(weights)
	for n := range dim {
		weights[n], weights[dim+n], weights[2*dim+n] = 1e8, 1, -1e8
	}
	p.More[0][0] = 1 // the filter
	xla, err := gomlx.New(gomlx.Settings{Backend: "go"})
	require.NoError(t, err)
	native := cpu.New(1)
	for _, engine := range []kge.Engine{native, xla} {
		bound := kge.NewScoreBound(engine, p, len(d.Relations)).Of(q)
		exact := p.Scorer(q, len(d.Relations))
		ranker, err := engine.NewRanker([]kge.Parameters{p}, kge.Float32)
		require.NoError(t, err)
		off := 0.0
		visit := func(_ int, scores []float32) {
			for entity, score := range scores {
				off = max(off, math.Abs(float64(score)-exact(int32(entity))))
			}
		}
		require.NoError(t, ranker.Scores(t.Context(), 0, []kge.Question{q}, visit))
		if off > bound {
			t.Errorf("%s: scores differ by %v, more than the bound %v", engine.Name(), off, bound)
		}
		isNative := engine == kge.Engine(native)
		if isNative != (bound < 1e-3) || isNative != (off < 1e-3) {
			t.Errorf("%s: scores differ by %v, the bound is %v: the test is wrong", engine.Name(), off, bound)
		}
		ranker.Close()
		engine.Close()
	}
}
