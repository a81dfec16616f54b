package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// Error bound for bfloat16 products
//
// Let e be a row and q a query of w numbers, ē and q̄ their rounded values, and e' and q' the
// rounding errors. By the Cauchy-Schwarz inequality
//
//	|e·q - ē·q̄| = |e'·q + ē·q'| ≤ |e'||q| + |ē||q'|.
//
// A float32 sum of products x·y whose terms go through n roundings, in any order, has an error
// of at most γ|x||y| + μ, with γ = nu/(1 - nu) and u = 2⁻²⁴: rounding multiplies each term
// by a number within 1 ± γ, and μ bounds the numbers flushed to 0, each less than 2⁻¹²⁶.
// The computed scores of e and q therefore differ by at most
//
//	|e'||q| + |ē||q'| + γ(|e||q| + |ē||q̄|) + 2μ
//	≤ (|e'| + γ(|e| + |ē|))·|q| + (1 + γ)|ē|·|q'| + 2μ,
//
// if no sum overflows, which maxNormProduct ensures. The norms are computed from the data and
// rounded up.

// maxNormProduct is a product of norms below which no sum can overflow.
const maxNormProduct = 0x1p120

// relativeError returns γ for sums whose terms go through n roundings, with a margin for the
// rounding of derived values.
func relativeError(n int) float64 {
	x := float64(n) * 0x1p-24
	return x / (1 - x) * (1 + 0x1p-16)
}

// rowRoundings bounds the roundings of a term in a product, for any kernel.
func rowRoundings(width int) int { return width + 4 }

// laneRoundings bounds the roundings of a term if each lane of a register has its own sum.
func laneRoundings(width int) int { return width/kernel.Columns + 8 }

// roundUp converts x to a float32 that is not smaller.
func roundUp(x float64) float32 { return float32(x * (1 + 0x1p-20)) }

// upperNorm returns an upper bound of the norm of a row from the computed sum of its squares,
// which may have underflowed.
func upperNorm(squares float32, width int) float64 {
	relative := 1 + 2*relativeError(laneRoundings(width))
	return math.Sqrt(float64(squares)*relative+float64(width)*0x1p-147) * (1 + 0x1p-40)
}

// ErrorBounds bounds the difference between bfloat16 and float32 products of embeddings. The
// bounds are valid until the embeddings change.
type ErrorBounds struct {
	embeddings Embeddings
	// For each group of kernel.BoundRows rows, see [kernel.ErrorBound].
	rowPerNorm, rowPerError []float32
	recheckPerNorm          []float32 // for each row, the factor of a query's norm in float32 sums
	maxNorms                []float64 // of each tile; NaN or infinite if one of its numbers is
}

// NewErrorBounds computes error bounds of rounded embeddings.
func NewErrorBounds(e Embeddings, threads int) *ErrorBounds {
	n := (e.Count + kernel.BoundRows - 1) / kernel.BoundRows
	b := &ErrorBounds{
		embeddings:     e,
		rowPerNorm:     make([]float32, n),
		rowPerError:    make([]float32, n),
		recheckPerNorm: make([]float32, e.Count),
		maxNorms:       make([]float64, e.Tiles()),
	}
	width := kernel.Pad(e.Stride, kernel.Columns)
	rowError, laneError := relativeError(rowRoundings(width)), relativeError(laneRoundings(width))
	squares := make([]kernel.SquaredNorms, e.Count)
	exact := e
	exact.Rounded = nil
	readers := make([]TileReader, threads)
	Parallel(threads, e.Tiles(), func(thread, tile int) {
		start, count, _ := e.Tile(tile)
		rows := readers[thread].Read(exact, tile)
		e.Rounded.Kernels.SquaredNorms(squares[start:], rows.Table, count, width)
		for i := start; i < start+count; i++ {
			exact := upperNorm(squares[i].Exact, width)
			rounded := upperNorm(squares[i].Rounded, width)
			lost := upperNorm(squares[i].Error, width)
			group := i / kernel.BoundRows
			b.rowPerNorm[group] = max(b.rowPerNorm[group], roundUp(lost+rowError*(exact+rounded)))
			b.rowPerError[group] = max(b.rowPerError[group], roundUp((1+rowError)*rounded))
			b.recheckPerNorm[i] = roundUp((rowError + laneError) * exact)
			b.maxNorms[tile] = max(b.maxNorms[tile], exact, rounded)
		}
	})
	return b
}

// absoluteError returns an upper bound of 2μ.
func absoluteError(width int) float32 { return float32(width+32) * 0x1p-122 }
