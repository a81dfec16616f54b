package structure

import (
	"errors"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var allModes = []Mode{Head, Relation, Tail}

// TestModeText checks that each mode reads its own text.
func TestModeText(t *testing.T) {
	for _, m := range allModes {
		text, err := m.MarshalText()
		read := Mode(-1)
		if err := errors.Join(err, read.UnmarshalText(text)); err != nil || read != m {
			t.Errorf("%s is read as %v (%v)", text, read, err)
		}
	}
}

// unfold returns the K×K² matrix of the sign tensor whose rows belong to the mode's chunks.
func unfold(s Structure, m Mode) [][]int64 {
	k, tensor := s.K(), s.SignTensor()
	rows := make([][]int64, k)
	for i := range k {
		for r := range k {
			for j := range k {
				row := [3]int{Head: i, Relation: r, Tail: j}[m]
				rows[row] = append(rows[row], int64(tensor[(i*k+r)*k+j]))
			}
		}
	}
	return rows
}

// rank computes the rank by Gaussian elimination over the rational numbers.
func rank(matrix [][]int64) int {
	var rows [][]*big.Rat
	for _, row := range matrix {
		var exact []*big.Rat
		for _, number := range row {
			exact = append(exact, new(big.Rat).SetInt64(number))
		}
		rows = append(rows, exact)
	}
	found := 0
	for column := range rows[0] {
		source := slices.IndexFunc(rows[found:], func(row []*big.Rat) bool {
			return row[column].Sign() != 0
		})
		if source < 0 {
			continue
		}
		rows[found], rows[found+source] = rows[found+source], rows[found]
		pivot := rows[found]
		found++
		for _, row := range rows[found:] {
			if row[column].Sign() == 0 {
				continue
			}
			factor := new(big.Rat).Quo(row[column], pivot[column])
			for n := range row {
				row[n] = new(big.Rat).Sub(row[n], new(big.Rat).Mul(factor, pivot[n]))
			}
		}
		if found == len(rows) {
			break
		}
	}
	return found
}

func TestDegenerateModesAreRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStructure(1, MaxK).Draw(t, "structure")
		modes := s.DegenerateModes()
		for _, mode := range allModes {
			full := rank(unfold(s, mode)) == s.K()
			if failed := slices.Contains(modes, mode); failed == full {
				t.Errorf("%s: %v mode reported as failing: %v, unfolding has full rank: %v", s, mode, failed,
					full)
			}
			if hasWitness := s.Witness(mode) != nil; hasWitness == full {
				t.Errorf("%s: %v mode has a witness: %v, unfolding has full rank: %v", s, mode, hasWitness,
					full)
			}
		}
		if s.Degenerate() != (len(modes) > 0) {
			t.Errorf("%s: Degenerate is %v with modes %v", s, s.Degenerate(), modes)
		}
	})
}

func TestWitnessKillsTheScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStructure(1, MaxK).Draw(t, "structure")
		width := rapid.IntRange(1, 2).Draw(t, "chunk width")
		embedding := anyEmbedding(s.K() * width)
		chunk := anyEmbedding(width).Draw(t, "chunk")
		var triple [3][]float64
		for n, role := range []string{"head", "relation", "tail"} {
			triple[n] = embedding.Draw(t, role)
		}
		for _, mode := range s.DegenerateModes() {
			witness := s.Witness(mode)
			if !slices.ContainsFunc(witness, func(w int64) bool { return w != 0 }) {
				t.Fatalf("%s: the witness of the %v mode is zero", s, mode)
			}
			killing := triple
			killing[mode] = nil
			for _, weight := range witness {
				for _, x := range chunk {
					killing[mode] = append(killing[mode], float64(weight)*x)
				}
			}
			if score := s.Score(killing[Head], killing[Relation], killing[Tail]); score != 0 {
				t.Fatalf("%s: with %v as %v the score is %v", s, witness, mode, score)
			}
		}
	})
}

func TestDegeneratePaperIsTheDeterminant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStructure(1, MaxK).Draw(t, "structure")
		matrix := make([][]int64, s.K())
		occurs := make(map[int]bool)
		for i, row := range s.Rows() {
			for _, value := range row {
				matrix[i] = append(matrix[i], int64(value))
				occurs[abs(value)] = true
			}
		}
		delete(occurs, 0)
		want := rank(matrix) < s.K() || len(occurs) < s.K()
		if got := s.DegeneratePaper(); got != want {
			t.Fatalf("%s: %v, want %v", s, got, want)
		}
	})
}

// TestEliminationOfLargestMinors uses Hadamard matrices scaled to the largest cells, whose minors
// are closest to overflow.
func TestEliminationOfLargestMinors(t *testing.T) {
	hadamard := squareMatrix{k: MaxK}
	for i := range MaxK {
		for j := range MaxK {
			hadamard.cells[i][j] = MaxK
			if ones := (i & j) ^ (i&j)>>1 ^ (i&j)>>2; ones&1 == 1 {
				hadamard.cells[i][j] = -MaxK
			}
		}
	}
	if pivots := hadamard.eliminate(); len(pivots) != MaxK {
		t.Errorf("Hadamard's matrix: %d pivots, want %d", len(pivots), MaxK)
	}
	const determinant = 1 << 36 // (8·√8)^8
	if got := hadamard.cells[MaxK-1][MaxK-1]; got != determinant && got != -determinant {
		t.Errorf("determinant %d, want ±%d", got, determinant)
	}
}
