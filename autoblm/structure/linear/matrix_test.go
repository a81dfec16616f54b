package linear

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// anyMatrix draws matrices, often products of low rank, some with huge numbers.
func anyMatrix(t *rapid.T, rows, columns int) matrix {
	inner := rapid.IntRange(0, min(rows, columns)).Draw(t, "inner")
	most := rapid.SampledFrom([]int64{1, 9, 1 << 40}).Draw(t, "largest")
	number := rapid.Int64Range(-most, most)
	left, right := newMatrix(rows, inner), newMatrix(inner, columns)
	for _, m := range []matrix{left, right} {
		for _, row := range m {
			for j := range row {
				row[j] = whole(number.Draw(t, "number"))
			}
		}
	}
	return left.by(right, columns)
}

// by returns the product of matrices.
func (m matrix) by(other matrix, columns int) matrix {
	out := newMatrix(len(m), columns)
	for i, row := range m {
		for n, number := range row {
			for j := range columns {
				out[i][j] = out[i][j].plus(number.times(other[n][j]))
			}
		}
	}
	return out
}

// rationalRank computes the rank by Gaussian elimination over fractions.
func rationalRank(m matrix) int {
	var rows [][]*big.Rat
	for _, row := range m {
		var out []*big.Rat
		for _, number := range row {
			out = append(out, new(big.Rat).SetInt(number.bigInt()))
		}
		rows = append(rows, out)
	}
	rank := 0
	for len(rows) > 0 {
		row := rows[0]
		rows = rows[1:]
		column := slices.IndexFunc(row, func(x *big.Rat) bool { return x.Sign() != 0 })
		if column < 0 {
			continue
		}
		rank++
		for _, other := range rows {
			factor := new(big.Rat).Quo(other[column], row[column])
			for j := range other {
				other[j] = new(big.Rat).Sub(other[j], new(big.Rat).Mul(factor, row[j]))
			}
		}
	}
	return rank
}

func TestRankAndKernel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 7).Draw(t, "columns")
		m := anyMatrix(t, rapid.IntRange(0, 7).Draw(t, "rows"), columns)
		want := rationalRank(m)
		if got := m.clone().rank(); got != want {
			t.Fatalf("rank %d, want %d", got, want)
		}
		kernel := m.clone().kernel(columns)
		if len(kernel) != columns-want || rationalRank(kernel) != len(kernel) {
			t.Fatalf("a kernel of %d vectors of rank %d, want %d", len(kernel), rationalRank(kernel),
				columns-want)
		}
		for _, row := range m.by(kernel.turned(columns), len(kernel)) {
			if slices.ContainsFunc(row, func(x integer) bool { return !x.isZero() }) {
				t.Fatal("the kernel is not sent to 0")
			}
		}
	})
}

// turned returns the transpose.
func (m matrix) turned(columns int) matrix {
	out := newMatrix(columns, len(m))
	for i, row := range m {
		for j, number := range row {
			out[j][i] = number
		}
	}
	return out
}

// TestReducedBasesAreUnique checks that a space has one reduced basis, however it is spanned.
func TestReducedBasesAreUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 6).Draw(t, "columns")
		m := anyMatrix(t, rapid.IntRange(1, 5).Draw(t, "rows"), columns)
		mix := anyInvertible(t, len(m), 3)
		basis, _ := m.clone().reduce()
		mixed, _ := mix.by(m, columns).reduce()
		if !basis.equals(mixed) {
			t.Fatalf("bases %v and %v of one space", basis, mixed)
		}
	})
}

// anyInvertible draws an invertible matrix of numbers up to most.
func anyInvertible(t *rapid.T, n int, most int64) matrix {
	return rapid.Custom(func(t *rapid.T) matrix {
		m := newMatrix(n, n)
		for _, row := range m {
			for j := range row {
				row[j] = whole(rapid.Int64Range(-most, most).Draw(t, "entry"))
			}
		}
		return m
	}).Filter(func(m matrix) bool { return rationalRank(m) == n }).Draw(t, "invertible")
}

func TestInertiaCountsEigenvalues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "n")
		m := newMatrix(n, n)
		values := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				x := rapid.Int64Range(-2, 2).Draw(t, "number")
				m[i][j], m[j][i] = whole(x), whole(x)
				values[i*n+j], values[j*n+i] = float64(x), float64(x)
			}
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(mat.NewSymDense(n, values), false) {
			t.Skip("no eigenvalues")
		}
		wantPositive, wantNegative := 0, 0
		for _, value := range eigen.Values(nil) {
			// The product of the others is below 14^6, so a smaller one than this is 0.
			if math.Abs(value) > 1e-8 {
				if value > 0 {
					wantPositive++
				} else {
					wantNegative++
				}
			}
		}
		if positive, negative := m.inertia(); positive != wantPositive || negative != wantNegative {
			t.Fatalf("inertia %d, %d; eigenvalues say %d, %d", positive, negative, wantPositive,
				wantNegative)
		}
	})
}
