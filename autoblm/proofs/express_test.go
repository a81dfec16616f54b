package proofs_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/proofs"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"pgregory.net/rapid"
)

// randomScores draws G_r as sums of a number of rank-one matrices of small integers, so that ranks
// may be below the number of entities.
func randomScores(entities, relations, rank int, seed uint64) proofs.Scores {
	rng := rand.New(rand.NewPCG(seed, 1))
	g := make(proofs.Scores, entities)
	for h := range g {
		g[h] = make([][]float64, relations)
		for r := range g[h] {
			g[h][r] = make([]float64, entities)
		}
	}
	for r := range relations {
		for range rank {
			left, right := make([]float64, entities), make([]float64, entities)
			for e := range entities {
				left[e], right[e] = float64(rng.IntN(9)-4), float64(rng.IntN(9)-4)
			}
			for h := range g {
				for t, x := range right {
					g[h][r][t] += left[h] * x
				}
			}
		}
	}
	return g
}

// holds checks f_A(h,r,t) = G_hrt for all triples, by the definition of f_A.
func holds(a structure.Structure, e *proofs.Embeddings, g proofs.Scores) error {
	const slack = 1e-12 // of the largest score
	largest, worst := 1.0, 0.0
	for h := range g {
		for r := range g[h] {
			for t, want := range g[h][r] {
				largest = math.Max(largest, math.Abs(want))
				worst = math.Max(worst, math.Abs(a.Score(e.Entities[h], e.Relations[r], e.Entities[t])-want))
			}
		}
	}
	if !(worst <= slack*largest) {
		return fmt.Errorf("scores up to %v are off by %v", largest, worst)
	}
	return nil
}

func anyStructure(t *rapid.T) structure.Structure {
	k := rapid.IntRange(1, 6).Draw(t, "K")
	a := structure.Zero(k)
	largest := rapid.IntRange(1, k).Draw(t, "largest")
	for i := range k {
		for j := range k {
			a = a.With(i, j, rapid.IntRange(-largest, largest).Draw(t, "cell"))
		}
	}
	// Half of them are symmetric or skew in each pair of cells, where the proof is harder.
	if rapid.Bool().Draw(t, "paired") {
		for i := range k {
			for j := range i {
				a = a.With(i, j, a.At(j, i)*rapid.SampledFrom([]int{-1, 1}).Draw(t, "mirror"))
			}
		}
	}
	return a
}

// drawnScores draws small tensors, some with a low rank for each relation.
func drawnScores(t *rapid.T) (g proofs.Scores, rank int) {
	entities := rapid.IntRange(1, 6).Draw(t, "entities")
	rank = rapid.IntRange(0, entities).Draw(t, "rank")
	return randomScores(entities, rapid.IntRange(1, 8).Draw(t, "relations"), rank,
		rapid.Uint64().Draw(t, "seed")), rank
}

func TestExpress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyStructure(t)
		g, rank := drawnScores(t)
		e, err := proofs.Express(a, g)
		if (err == nil) != a.FullyExpressive() {
			t.Fatalf("%s: error %v, fully expressive: %v", a, err, a.FullyExpressive())
		}
		if err != nil {
			inexpressible(t, a, err)
			return
		}
		if err := holds(a, e, g); err != nil {
			t.Fatalf("%s: %v", a, err)
		}
		entities, relations := len(g), len(g[0])
		limit := relations * (entities + entities/2)
		if hasProduct(a) {
			limit = relations * rank
		}
		if limit = a.K() * max(1, limit); e.Dim > limit {
			t.Fatalf("%s: dimension %d, want at most %d", a, e.Dim, limit)
		}
	})
}

// hasProduct reports whether some cell A_ij with |A_ij| ≠ |A_ji| has a value that A_ii or A_jj
// lacks.
func hasProduct(a structure.Structure) bool {
	size := func(i, j int) int { return max(a.At(i, j), -a.At(i, j)) }
	for i := range a.K() {
		for j := range a.K() {
			v := size(i, j)
			if v != 0 && size(j, i) != v && (size(i, i) != v || size(j, j) != v) {
				return true
			}
		}
	}
	return false
}

// inexpressible checks the example in the error: all score matrices of the structure are symmetric,
// or all are skew-symmetric, and the example is not.
func inexpressible(t *rapid.T, a structure.Structure, err error) {
	var reason *proofs.InexpressibleError
	if !errors.As(err, &reason) {
		t.Fatalf("%s: %v", a, err)
	}
	g := reason.Example
	forward, backward := g[0][0][1], g[1][0][0]
	if forward == backward || forward == -backward {
		t.Fatalf("%s: the example has scores %v and %v, which it can express", a, forward, backward)
	}
	draw := rapid.SliceOfN(rapid.Float64Range(-2, 2), 2*a.K(), 2*a.K())
	h, r, tail := draw.Draw(t, "h"), draw.Draw(t, "r"), draw.Draw(t, "t")
	there, back := a.Score(h, r, tail), a.Score(tail, r, h)
	if math.Abs(there-back) > 1e-9 && math.Abs(there+back) > 1e-9 {
		t.Fatalf("%s: f(h,r,t) = %v and f(t,r,h) = %v agree in neither sign", a, there, back)
	}
}

func TestExpressByWitnesses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyStructure(t)
		g, _ := drawnScores(t)
		e, err := proofs.ExpressByWitnesses(a, g)
		both := a.SymmetricWitness() != nil && a.SkewSymmetricWitness() != nil
		var missing *proofs.NoWitnessError
		switch {
		case both && err != nil, !both && !errors.As(err, &missing):
			t.Fatalf("%s: error %v, both witnesses: %v", a, err, both)
		case both && !a.FullyExpressive():
			t.Fatalf("%s has both witnesses of Proposition 1 and is not fully expressive", a)
		case both:
			if err := holds(a, e, g); err != nil {
				t.Fatalf("%s: %v", a, err)
			}
			if limit := a.K() * 2 * len(g) * len(g[0]); e.Dim > limit {
				t.Fatalf("%s: dimension %d, want at most %d", a, e.Dim, limit)
			}
		}
	})
}

// TestExpressBaselines builds embeddings for all baselines but DistMult, which is symmetric. The
// paper shows witnesses for four of the five.
func TestExpressBaselines(t *testing.T) {
	g := randomScores(5, 3, 4, 1)
	for name, build := range map[string]func(structure.Structure, proofs.Scores) (
		*proofs.Embeddings, error){
		"Express": proofs.Express, "ExpressByWitnesses": proofs.ExpressByWitnesses,
	} {
		for _, named := range structure.Baselines() {
			e, err := build(named.Structure, g)
			if err == nil {
				err = holds(named.Structure, e, g)
			}
			if (err == nil) == (named.Name == "distmult") {
				t.Errorf("%s of %s: error %v", name, named.Title, err)
			}
		}
	}
}

func TestExpressRefusesWhatIsNoTensor(t *testing.T) {
	for name, g := range map[string]proofs.Scores{
		"no entities":      {},
		"no relations":     {{}},
		"too few tails":    {{{1}}, {{1, 2}}},
		"no number":        {{{math.NaN()}}},
		"uneven relations": {{{1, 2}}, {{1, 2}, {3, 4}}},
	} {
		if _, err := proofs.Express(structure.MustParse("complex"), g); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestExpressEverySmallStructure covers all kinds of cells.
func TestExpressEverySmallStructure(t *testing.T) {
	g := randomScores(4, 2, 4, 2)
	for code := range 5 * 5 * 5 * 5 {
		a := structure.Zero(2)
		for cell := range 4 {
			a = a.With(cell/2, cell%2, code%5-2)
			code /= 5
		}
		e, err := proofs.Express(a, g)
		if (err == nil) != a.FullyExpressive() {
			t.Fatalf("%s: error %v, fully expressive: %v", a, err, a.FullyExpressive())
		}
		if err != nil {
			continue
		}
		if err := holds(a, e, g); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
}
