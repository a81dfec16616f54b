package structure

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestNewRefusesBadMatrices(t *testing.T) {
	for name, rows := range map[string][][]int{
		"no rows":        {},
		"too many rows":  make([][]int, MaxK+1),
		"ragged":         {{1, 0}, {2}},
		"wide":           {{1, 0, 0}, {0, 2, 0}},
		"value too high": {{1, 0}, {0, 3}},
		"value too low":  {{1, -3}, {0, 1}},
		"beyond a byte":  {{256 + 1}},
	} {
		if s, err := New(rows); err == nil {
			t.Errorf("%s: built %s", name, s)
		}
	}
}

func TestCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStructure(1, MaxK).Draw(t, "structure")
		before, rows := s, s.Rows()
		i, j := rapid.IntRange(0, s.K()-1).Draw(t, "i"), rapid.IntRange(0, s.K()-1).Draw(t, "j")
		value := rapid.IntRange(-s.K(), s.K()).Draw(t, "value")
		changed := s.With(i, j, value)
		if s != before {
			t.Fatalf("With changed its receiver from %s to %s", before, s)
		}
		rows[i][j] = value
		if want, err := New(rows); err != nil || changed != want {
			t.Fatalf("With gives %s, want %s (%v)", changed, want, err)
		}
		nonzeros := 0
		for _, number := range slices.Concat(rows...) {
			if number != 0 {
				nonzeros++
			}
		}
		if changed.Nonzeros() != nonzeros || changed.At(i, j) != value {
			t.Fatalf("%s: %d nonzeros, cell %d; want %d and %d", changed, changed.Nonzeros(),
				changed.At(i, j), nonzeros, value)
		}
	})
}

func TestMisuseByProgramsPanics(t *testing.T) {
	s := Zero(2)
	symmetry, _ := s.SymmetryTo(s, Full)
	for name, misuse := range map[string]func(){
		"Zero too small":    func() { Zero(0) },
		"Zero too large":    func() { Zero(MaxK + 1) },
		"At outside":        func() { s.At(0, 2) },
		"At negative":       func() { s.At(-1, 0) },
		"With too large":    func() { s.With(0, 0, 3) },
		"MustParse":         func() { MustParse("1,2") },
		"uneven chunks":     func() { s.Score(make([]float64, 3), make([]float64, 3), make([]float64, 3)) },
		"Classes too small": func() { Classes(0, 1, Full) },
		"Classes too large": func() { Classes(MaxK+1, 1, Full) },
		"odd embedding":     func() { CarryEntity(symmetry, make([]float64, 3)) },
		"no chunks":         func() { CarryRelation(Symmetry{}, make([]float64, 2)) },
		"unequal lengths":   func() { s.Score(make([]float64, 2), make([]float64, 4), make([]float64, 2)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
}

// compare orders structures of one size row by row under the order of symbols.
func compare(a, b Structure) int {
	order := []int{1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8, -8, 0}
	place := func(x int) int { return slices.Index(order, x) }
	return slices.CompareFunc(slices.Concat(a.Rows()...), slices.Concat(b.Rows()...),
		func(x, y int) int { return cmp.Compare(place(x), place(y)) })
}

// TestTitleOfZeroStructure: a structure without chunks is no baseline.
func TestTitleOfZeroStructure(t *testing.T) {
	if title := (Structure{}).Title(); title != "" {
		t.Errorf("the title is %q", title)
	}
	if all := BaselinesWith(0); len(all) != 0 {
		t.Errorf("baselines without chunks: %v", all)
	}
}
