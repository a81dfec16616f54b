package structure

import (
	"slices"

	"github.com/autoblm/autoblm-go/internal/enum"
)

// Mode is one of the three arguments of the scoring function.
type Mode int

// The modes, in the order of a triple.
const (
	Head Mode = iota
	Relation
	Tail
)

var modeNames = []string{"head", "relation", "tail"}

// String returns "head", "relation" or "tail".
func (m Mode) String() string {
	return enum.Name(modeNames, "Mode", m)
}

// MarshalText returns the text of [Mode.String].
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads "head", "relation" or "tail".
func (m *Mode) UnmarshalText(text []byte) error { return enum.Unmarshal(modeNames, "mode", m, text) }

// DegenerateModes lists the modes that fail: those in which some nonzero embedding scores 0
// with all other embeddings in the other two positions. It is nil if the sign tensor has
// multilinear rank (K,K,K).
//
// The test is exact, unlike the paper's Proposition 2, whose condition on
// rank(A) is sufficient but not necessary and which overlooks tails; see
// [Structure.DegeneratePaper].
func (s Structure) DegenerateModes() []Mode {
	var modes []Mode
	for _, mode := range []Mode{Head, Relation, Tail} {
		if s.fails(mode) {
			modes = append(modes, mode)
		}
	}
	return modes
}

// Degenerate reports whether any mode fails.
func (s Structure) Degenerate() bool {
	return s.fails(Relation) || s.fails(Head) || s.fails(Tail)
}

// Witness returns a reason for a failing mode: integers w_1…w_K, not all zero, such
// that the embedding with chunks w_1·x, …, w_K·x in that mode scores 0 for
// every x and every choice of the other two embeddings. It is nil when the
// mode does not fail.
func (s Structure) Witness(m Mode) []int64 {
	gram := s.gram(m)
	pivots := gram.eliminate()
	return gram.kernelVector(pivots)
}

// DegeneratePaper applies the filter of the paper's Algorithm 1: det(A) = 0 or some relation
// chunk never occurs. It depends on the matrix as given, not only on
// its equivalence class, and rejects many structures that are not degenerate.
func (s Structure) DegeneratePaper() bool {
	if s.fails(Relation) {
		return true
	}
	matrix := squareMatrix{k: s.K()}
	for i := range matrix.k {
		for j := range matrix.k {
			matrix.cells[i][j] = int64(s.At(i, j))
		}
	}
	return len(matrix.eliminate()) < matrix.k
}

func (s Structure) fails(m Mode) bool {
	if m == Relation {
		return s.distinctValues() < s.K()
	}
	gram := s.gram(m)
	return len(gram.eliminate()) < s.K()
}

// gram returns U·Uᵀ for the K×K² unfolding U of the sign tensor in the given mode.
// Over the reals it has the rank of U and the same left kernel, but it is
// small: its cells are at most K², so its minors fit into 64 bits.
func (s Structure) gram(m Mode) squareMatrix {
	k := s.K()
	gram := squareMatrix{k: k}
	if m == Relation {
		// A cell holds one value, so unfolded rows of different values never overlap.
		for _, value := range s.flat() {
			if value != 0 {
				chunk := abs(int(value)) - 1
				gram.cells[chunk][chunk]++
			}
		}
		return gram
	}
	for a := range k {
		for b := range k {
			for other := range k {
				valueA, valueB := s.At(a, other), s.At(b, other)
				if m == Tail {
					valueA, valueB = s.At(other, a), s.At(other, b)
				}
				if abs(valueA) == abs(valueB) {
					gram.cells[a][b] += int64(sign(valueA) * sign(valueB))
				}
			}
		}
	}
	return gram
}

// squareMatrix is a k×k matrix of integers. Elimination stays exact in int64
// for the matrices of this package: it forms pivot·cell − factor·cell, which
// equals the product of two minors whose orders differ by 2, and by Hadamard's
// bound that is below 2^62 for any A and for any Gram matrix. The two terms
// may overflow; their difference is still exact.
type squareMatrix struct {
	k     int
	cells [MaxK][MaxK]int64
}

// eliminate runs the fraction-free Gauss-Jordan elimination of Bareiss: all intermediate
// numbers are minors of the matrix. It returns the pivot columns;
// their number is the rank. When that is less than k, row n afterwards has
// zeros in all pivot columns but pivots[n], where every pivot row has the same number.
func (q *squareMatrix) eliminate() (pivots []int) {
	previous := int64(1)
	for column := range q.k {
		row := len(pivots)
		source := row
		for source < q.k && q.cells[source][column] == 0 {
			source++
		}
		if source == q.k {
			continue
		}
		q.cells[row], q.cells[source] = q.cells[source], q.cells[row]
		pivots = append(pivots, column)
		if len(pivots) == q.k {
			break // full rank leaves no kernel to solve for, and clearing this column could overflow
		}
		pivot := q.cells[row][column]
		for other := range q.k {
			if other == row {
				continue
			}
			factor := q.cells[other][column]
			for n := range q.k {
				q.cells[other][n] = (pivot*q.cells[other][n] - factor*q.cells[row][n]) / previous
			}
		}
		previous = pivot
	}
	return pivots
}

// kernelVector solves for the first column without a pivot, in lowest terms;
// nil when every column has one.
func (q *squareMatrix) kernelVector(pivots []int) []int64 {
	rank := len(pivots)
	if rank == q.k {
		return nil
	}
	free := rank
	for n, column := range pivots {
		if column != n {
			free = n
			break
		}
	}
	vector := make([]int64, q.k)
	vector[free] = 1
	if rank > 0 {
		vector[free] = q.cells[0][pivots[0]]
	}
	divisor := vector[free]
	for n, column := range pivots {
		vector[column] = -q.cells[n][free]
		divisor = gcd(divisor, vector[column])
	}
	// Of the two vectors in lowest terms take the one whose first nonzero number is positive.
	first := slices.IndexFunc(vector, func(number int64) bool { return number != 0 })
	if vector[first]*divisor < 0 {
		divisor = -divisor
	}
	for n := range vector {
		vector[n] /= divisor
	}
	return vector
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
