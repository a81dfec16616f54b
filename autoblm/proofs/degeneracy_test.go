package proofs_test

import (
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/proofs"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"pgregory.net/rapid"
)

// TestPaperDropsDegenerate checks the half of the paper's Proposition 2 that holds.
func TestPaperDropsDegenerate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if a := anyStructure(t); a.Degenerate() && !a.DegeneratePaper() {
			t.Fatalf("%s is degenerate, but the paper's test lets it pass", a)
		}
	})
}

// TestCensus counts all 7⁹ structures with K = 3; another program computed the expected numbers.
// It visits the structures in which the first nonzero of each row is positive. Negating a row
// changes neither the rank of A nor that of an unfolding, so each represents
// 2^(number of nonzero rows) structures.
func TestCensus(t *testing.T) {
	isNonzero := func(v int) bool { return v != 0 }
	var rows [][]int
	for code := range 7 * 7 * 7 {
		row := []int{code/49 - 3, code/7%7 - 3, code%7 - 3}
		if n := slices.IndexFunc(row, isNonzero); n < 0 || row[n] > 0 {
			rows = append(rows, row)
		}
	}
	var all, passPaper, sound int
	for n := range len(rows) * len(rows) * len(rows) {
		matrix := [][]int{rows[n/len(rows)/len(rows)], rows[n/len(rows)%len(rows)], rows[n%len(rows)]}
		weight := 1
		for _, row := range matrix {
			if slices.ContainsFunc(row, isNonzero) {
				weight *= 2
			}
		}
		a, err := structure.New(matrix)
		if err != nil {
			t.Fatal(err)
		}
		degenerate, paper := a.Degenerate(), a.DegeneratePaper()
		all += weight
		if !paper {
			passPaper += weight
		}
		if !degenerate {
			sound += weight
		} else if !paper {
			t.Fatalf("%s is degenerate, but the paper's test lets it pass", a)
		}
	}
	if all != 40_353_607 || passPaper != 32_564_448 || sound != 33_288_288 {
		t.Errorf("of %d, %d pass the paper's test and %d are not degenerate", all, passPaper, sound)
	}
}

// TestResponse checks that an embedding has a positive score with some other embeddings, unless it
// scores 0 everywhere, as a witness does.
func TestResponse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyStructure(t)
		width := rapid.IntRange(1, 3).Draw(t, "width")
		chunk := rapid.SliceOfN(rapid.IntRange(-3, 3), width, width).Draw(t, "chunk")
		for _, mode := range []structure.Mode{structure.Head, structure.Relation, structure.Tail} {
			x := make([]float64, a.K()*width)
			for n := range x {
				x[n] = float64(rapid.IntRange(-3, 3).Draw(t, "x"))
			}
			if h, r, tail, ok := proofs.Response(a, mode, x); ok {
				if score := a.Score(h, r, tail); !(score > 0) {
					t.Fatalf("%s: the response to %v as %v scores %v", a, x, mode, score)
				}
				if own := [][]float64{h, r, tail}[mode]; !slices.Equal(own, x) {
					t.Fatalf("%s: %v is %v in the answer, not %v", a, mode, own, x)
				}
			} else if a.Witness(mode) == nil && slices.ContainsFunc(x, func(v float64) bool {
				return v != 0
			}) {
				t.Fatalf("%s: no response to %v as %v, although the mode is not degenerate", a, x, mode)
			}
			for chunkOf, w := range a.Witness(mode) {
				for n, v := range chunk {
					x[chunkOf*width+n] = float64(w) * float64(v)
				}
			}
			if a.Witness(mode) != nil {
				if _, _, _, ok := proofs.Response(a, mode, x); ok {
					t.Fatalf("%s: the witness %v as %v got a response", a, x, mode)
				}
			}
		}
	})
}

// TestCounterexamplesToProposition2 checks matrices that are not degenerate as the paper's
// proposition says.
func TestCounterexamplesToProposition2(t *testing.T) {
	tailsOnly := structure.MustParse("-1,-1;-2,-2")
	if modes := tailsOnly.DegenerateModes(); !slices.Equal(modes, []structure.Mode{structure.Tail}) ||
		!tailsOnly.DegeneratePaper() {
		t.Errorf("%s: fails in %v", tailsOnly, modes)
	}
	sound := structure.MustParse("1,-1,-3;-1,-2,-3;-3,-3,-3")
	if sound.Degenerate() || !sound.DegeneratePaper() {
		t.Errorf("%s: degenerate %v, by the paper's test %v", sound, sound.Degenerate(),
			sound.DegeneratePaper())
	}
	// The paper's test also differs between equivalent matrices: these swap the values 2 and 3.
	if a, b := structure.MustParse("-1,2,-2;3,0,3;3,2,2"),
		structure.MustParse("-1,3,-3;2,0,2;2,3,3"); !a.DegeneratePaper() || b.DegeneratePaper() {
		t.Errorf("the paper's test says %v of %s and %v of %s", a.DegeneratePaper(), a,
			b.DegeneratePaper(), b)
	}
}
