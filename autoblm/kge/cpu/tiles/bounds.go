package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// How far a product in bfloat16 is from the same in float32
//
// Let e be a row and q a query, of w numbers, ē and q̄ what they are rounded to, and e' and q'
// the differences. By the inequality of Cauchy and Schwarz
//
//	|e·q - ē·q̄| = |e'·q + ē·q'| ≤ |e'||q| + |ē||q'|.
//
// A sum in float32 of products x·y whose terms go through n roundings, in whatever order, is
// within γ|x||y| + μ of what it should be, with γ = nu/(1 - nu) and u = 2⁻²⁴: each term
// becomes itself times a number within 1 ± γ, and μ is what numbers flushed to 0 come to, each
// less than 2⁻¹²⁶. So the two scores of e and q, as they are computed, differ by no more than
//
//	|e'||q| + |ē||q'| + γ(|e||q| + |ē||q̄|) + 2μ
//	≤ (|e'| + γ(|e| + |ē|))·|q| + (1 + γ)|ē|·|q'| + 2μ,
//
// if no sum overflows, as none does where |e||q| is far from that. The norms are measured, not
// taken from the format, and rounded up.

// maxNormProduct is the largest product of norms in whose sums nothing can overflow.
const maxNormProduct = 0x1p120

// relativeError is γ for sums whose terms go through n roundings, with room for some more of
// what is computed of it.
func relativeError(n int) float64 {
	x := float64(n) * 0x1p-24
	return x / (1 - x) * (1 + 0x1p-16)
}

// rowRoundings is how many roundings a term of a product goes through at most, of any kernel.
func rowRoundings(width int) int { return width + 4 }

// laneRoundings is how many it goes through where each lane of a register has a sum.
func laneRoundings(width int) int { return width/kernel.Columns + 8 }

// up is x or a little more, as float32.
func roundUp(x float64) float32 { return float32(x * (1 + 0x1p-20)) }

// upperNorm is at least the norm of a row, by the sum of its squares, any of which may be less
// than float32 has numbers for.
func upperNorm(squares float32, width int) float64 {
	return math.Sqrt(float64(squares)*(1+2*relativeError(laneRoundings(width)))+float64(width)*0x1p-147) * (1 + 0x1p-40)
}

// ErrorBounds say how far the products of rounded embeddings may be from those in float32. They
// hold until the embeddings change.
type ErrorBounds struct {
	embeddings     Embeddings
	rowPerNorm     []float32 // of the rows that are sifted together, what is multiplied by a query's norm
	rowPerError    []float32 // and by the norm of what a query loses
	recheckPerNorm []float32 // of each row, what is multiplied by a query's norm where only sums are rounded
	maxNorms       []float64 // norm of each tile, not a number or infinite where one of its numbers is
}

// NewErrorBounds measures rounded embeddings on so many threads.
func NewErrorBounds(e Embeddings, threads int) *ErrorBounds {
	n := (e.Count + kernel.BoundRows - 1) / kernel.BoundRows
	b := &ErrorBounds{embeddings: e, rowPerNorm: make([]float32, n), rowPerError: make([]float32, n), recheckPerNorm: make([]float32, e.Count), maxNorms: make([]float64, e.Tiles())}
	width := e.Stride
	along, lanes := relativeError(rowRoundings(width)), relativeError(laneRoundings(width))
	squares := make([]kernel.SquaredNorms, e.Count)
	Parallel(threads, e.Tiles(), func(_, tile int) {
		start, count, _ := e.Tile(tile)
		e.Rounded.Unit.SquaredNorms(squares[start:], e.From(start), count, width)
		for i := start; i < start+count; i++ {
			whole, rounded, lost := upperNorm(squares[i].Exact, width), upperNorm(squares[i].Rounded, width), upperNorm(squares[i].Error, width)
			together := i / kernel.BoundRows
			b.rowPerNorm[together] = max(b.rowPerNorm[together], roundUp(lost+along*(whole+rounded)))
			b.rowPerError[together] = max(b.rowPerError[together], roundUp((1+along)*rounded))
			b.recheckPerNorm[i] = roundUp((along + lanes) * whole)
			b.maxNorms[tile] = max(b.maxNorms[tile], whole, rounded)
		}
	})
	return b
}

// absoluteError is 2μ and more.
func absoluteError(width int) float32 { return float32(width+32) * 0x1p-122 }
