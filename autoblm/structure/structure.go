package structure

import (
	"cmp"
	"fmt"
)

// MaxK bounds the number of chunks.
const MaxK = 8

// Structure is a structure matrix A. It is a value: copies are independent,
// == compares matrices, and it can be the key of a map. The zero value has no
// cells; build one with [New], [Parse] or [Zero].
type Structure struct {
	k int8
	// cells is row-major with stride k and padded with zeros, so that == compares matrices.
	cells [MaxK * MaxK]int8
}

// New builds the structure with the given rows: a square matrix with
// 1 ≤ K ≤ MaxK rows and cells in -K…K.
func New(rows [][]int) (Structure, error) {
	k := len(rows)
	if err := checkSize(k); err != nil {
		return Structure{}, err
	}
	s := Structure{k: int8(k)}
	for i, row := range rows {
		if err := checkRow(i, len(row), k); err != nil {
			return Structure{}, err
		}
		for j, value := range row {
			if value < -k || value > k {
				return Structure{}, cellError(i, j, fmt.Sprint(value), k)
			}
			s.cells[i*k+j] = int8(value)
		}
	}
	return s, nil
}

// Zero returns the k×k structure without any block, to be filled with
// [Structure.With]. It panics unless 1 ≤ k ≤ MaxK.
func Zero(k int) Structure {
	if err := checkSize(k); err != nil {
		panic(err)
	}
	return Structure{k: int8(k)}
}

// K returns the number of chunks.
func (s Structure) K() int { return int(s.k) }

// At returns the cell of head chunk i and tail chunk j, both counted from 0; it
// lies in -K…K. It panics when i or j is not in 0…K-1.
func (s Structure) At(i, j int) int { return int(s.cells[s.index(i, j)]) }

// With returns s with one cell changed. It panics when i or j is not in 0…K-1 or
// value is not in -K…K.
func (s Structure) With(i, j, value int) Structure {
	if k := s.K(); value < -k || value > k {
		panic(cellError(i, j, fmt.Sprint(value), k))
	}
	s.cells[s.index(i, j)] = int8(value)
	return s
}

// Nonzeros returns the number of blocks: cells that are not zero.
func (s Structure) Nonzeros() int {
	count := 0
	for _, value := range s.flat() {
		if value != 0 {
			count++
		}
	}
	return count
}

// Rows returns the matrix as K slices of K cells, a copy.
func (s Structure) Rows() [][]int {
	rows := make([][]int, s.K())
	for i := range rows {
		rows[i] = make([]int, s.K())
		for j := range rows[i] {
			rows[i][j] = s.At(i, j)
		}
	}
	return rows
}

// zeroRank is the rank of the symbol 0, which comes after all others: 1 < -1 < 2 < -2 < … < 0.
const zeroRank = 2 * MaxK

// symbolOfRank returns the cell's value at a place in the order of symbols.
func symbolOfRank(rank uint8) int8 {
	if rank == zeroRank {
		return 0
	}
	value := int8(rank/2) + 1
	if rank%2 == 1 {
		return -value
	}
	return value
}

// flat returns the cells in row-major order.
func (s *Structure) flat() []int8 { return s.cells[:int(s.k)*int(s.k)] }

// index leaves the panic to another function so that At can be inlined.
func (s *Structure) index(i, j int) int {
	k := int(s.k)
	if uint(i) >= uint(k) || uint(j) >= uint(k) {
		panicNoCell(i, j, k)
	}
	return i*k + j
}

func panicNoCell(i, j, k int) {
	panic(fmt.Sprintf("structure: no cell (%d, %d) in a %d×%d structure", i, j, k, k))
}

func checkSize(k int) error {
	if k < 1 || k > MaxK {
		return fmt.Errorf("%d rows; a structure has 1 to %d", k, MaxK)
	}
	return nil
}

func checkRow(i, cells, k int) error {
	if cells != k {
		return fmt.Errorf("row %d has length %d; every row of a %d×%d matrix needs length %d", i+1, cells,
			k, k, k)
	}
	return nil
}

// cellError names a bad cell the way people count, from 1.
func cellError(i, j int, found string, k int) error {
	return fmt.Errorf("row %d, column %d: %s is not an integer from %d to %d", i+1, j+1, found, -k, k)
}

func sign(n int) int { return cmp.Compare(n, 0) }

func abs(n int) int { return max(n, -n) }
