package structure

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// transposed reports whether one matrix is p times the transpose of the other.
func transposed(g, h [][]int, p int) bool {
	for i := range g {
		for j := range g {
			if g[i][j] != p*h[j][i] {
				return false
			}
		}
	}
	return true
}

// closedUnderTransposing decides by ranks whether every D_kᵀ is a combination of the D_l.
func closedUnderTransposing(s Structure) bool {
	k := s.K()
	spanOf := func(alsoTransposed bool) int {
		var matrices [][]int64
		for value := range k {
			r := make([]int, k)
			r[value] = 1
			g := operator(s, r)
			var straight, across []int64
			for i := range k {
				for j := range k {
					straight, across = append(straight, int64(g[i][j])), append(across, int64(g[j][i]))
				}
			}
			matrices = append(matrices, straight)
			if alsoTransposed {
				matrices = append(matrices, across)
			}
		}
		return rank(matrices)
	}
	return spanOf(false) == spanOf(true)
}

func checkPatterns(t interface{ Errorf(string, ...any) }, s Structure, relations [][]int) {
	p := s.Patterns()
	for _, kind := range []struct {
		parity  int
		witness []int
	}{{1, p.Symmetric}, {-1, p.AntiSymmetric}} {
		if kind.witness == nil {
			continue
		}
		if !hasParity(operator(s, kind.witness), kind.parity) {
			t.Errorf("%s: g(A,%v) is not nonzero with gᵀ = %d·g", s, kind.witness, kind.parity)
		}
		if slices.ContainsFunc(kind.witness, func(r int) bool { return abs(r) > s.K() }) {
			t.Errorf("%s: witness %v leaves -%d…%d", s, kind.witness, s.K(), s.K())
		}
	}
	if p.General != nil {
		if g := operator(s, p.General); transposed(g, g, 1) || transposed(g, g, -1) {
			t.Errorf("%s: g(A,%v) is symmetric or skew", s, p.General)
		}
	}
	allSymmetric := transposed(s.Rows(), s.Rows(), 1)
	if want := closedUnderTransposing(s) && !allSymmetric; want != (p.Inverse != nil) {
		t.Errorf("%s: inverses %v, by ranks %v", s, p.Inverse, want)
	}
	for _, r := range relations {
		g := operator(s, r)
		if p.General == nil && !transposed(g, g, 1) && !transposed(g, g, -1) {
			t.Errorf("%s: g(A,%v) is neither symmetric nor skew", s, r)
		}
		if p.Symmetric == nil && hasParity(g, 1) || p.AntiSymmetric == nil && hasParity(g, -1) {
			t.Errorf("%s: g(A,%v) has a symmetry that was not found", s, r)
		}
		if p.Inverse != nil {
			inverse := make([]int, len(r))
			for n, from := range p.Inverse {
				inverse[n] = sign(from) * r[abs(from)-1]
			}
			if !transposed(operator(s, inverse), g, 1) {
				t.Errorf("%s: %v is not the inverse of %v", s, inverse, r)
			}
		}
	}
}

func TestPatternsByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStructure(1, MaxK).Draw(t, "structure")
		if rapid.Bool().Draw(t, "renamed transpose above") { // which has inverses, often
			for i := range s.K() {
				for j := range i {
					s = s.With(i, j, s.At(j, i)*rapid.SampledFrom([]int{1, -1}).Draw(t, "sign"))
				}
			}
		}
		relation := rapid.SliceOfN(rapid.IntRange(-9, 9), s.K(), s.K())
		checkPatterns(t, s, [][]int{relation.Draw(t, "r"), relation.Draw(t, "r")})
	})
}

func TestPatternsOfEverySmallStructure(t *testing.T) {
	for k := 1; k <= 2; k++ {
		var relations [][]int
		for r := range everyR(k) {
			relations = append(relations, slices.Clone(r))
		}
		for s := range everyStructure(k) {
			checkPatterns(t, s, relations)
		}
	}
}

// TestPatternsOfBaselines compares with the column RP of the paper's Table of scoring functions,
// where only DistMult has a cross, and checks inverses.
func TestPatternsOfBaselines(t *testing.T) {
	for _, row := range []struct {
		name    string
		all     bool
		inverse []int
	}{
		{"distmult", false, nil},
		{"simple", true, []int{3, 4, 1, 2}},
		{"cp", true, []int{3, 4, 1, 2}},
		{"complex", true, []int{1, 2, -3, -4}}, // the conjugate
		{"hole", true, []int{1, 2, -3, -4}},
		{"analogy", true, []int{1, 2, 3, -4}},
		{"quate", true, []int{1, -2, -3, -4}}, // the conjugate
	} {
		s := MustParse(row.name)
		patterns := s.Patterns()
		if patterns.All() != row.all || s.FullyExpressive() != row.all {
			t.Errorf("%s: %+v, fully expressive %v", row.name, patterns, s.FullyExpressive())
		}
		if !slices.Equal(patterns.Inverse, row.inverse) {
			t.Errorf("%s: inverses by %v, want %v", row.name, patterns.Inverse, row.inverse)
		}
	}
	// DistMult can model symmetric relations only.
	if p := MustParse("distmult").Patterns(); p.Symmetric == nil || p.AntiSymmetric != nil ||
		p.General != nil {
		t.Errorf("distmult: %+v", p)
	}
}
