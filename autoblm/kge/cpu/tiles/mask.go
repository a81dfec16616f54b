package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
)

// Mask has a factor for each coordinate of some queries: 0 where it is dropped,
// and 1/(1-share) elsewhere.
type Mask struct{ kernel.Table }

// NewMask has room for so many queries.
func NewMask(queries, dim int) *Mask { return &Mask{NewTable(queries, dim)} }

// DropoutKey is what Draw needs to know of a member's seed and of a step, which
// counts from 1.
func DropoutKey(seed uint64, step int) uint32 { return dropout.Key(seed, step) }

// Draw decides for a query, which has a number in its batch.
func (m *Mask) Draw(key uint32, query, number, dim int, share float64) {
	kept := math.Float32bits(float32(1 / (1 - share)))
	threshold := dropout.Threshold(share)
	input := key + dropout.Stride*uint32(number*dim)
	factors := m.Row(query)[:dim]
	for coordinate := range factors {
		factor := kept
		if dropout.Scramble(input) < threshold { // as bits, it needs no jump, which could not be foreseen
			factor = 0
		}
		factors[coordinate] = math.Float32frombits(factor)
		input += dropout.Stride
	}
}

// Dropper is a measure of queries which coordinates can be dropped of.
type Dropper interface {
	// Drop drops of n queries what the mask says.
	Drop(m *Mask, queries kernel.Table, n int)
	// DropGradient makes the gradient by the queries of that by what is left of them.
	DropGradient(m *Mask, gradient kernel.Table, n int)
}

// Drop implements [Dropper].
func (Products) Drop(m *Mask, queries kernel.Table, n int) { m.apply(queries, n) }

// DropGradient implements [Dropper].
func (Products) DropGradient(m *Mask, gradient kernel.Table, n int) { m.apply(gradient, n) }

// Drop implements [Dropper]: a box has no end along a coordinate that is dropped, and is
// otherwise as it was, since what is left of a distance needs not be as large as all of it.
func (d BoxDistances) Drop(m *Mask, queries kernel.Table, n int) {
	for i := range n {
		half := queries.Row(2*i + 1)
		for coordinate, factor := range m.Row(i)[:d.Dim] {
			if factor == 0 {
				half[coordinate] = endless
			}
		}
	}
}

// DropGradient implements [Dropper]: sides without an end have no gradient as it is.
func (BoxDistances) DropGradient(*Mask, kernel.Table, int) {}

var endless = float32(math.Inf(1))

// apply multiplies queries, or the gradient by them, by their factors.
func (m *Mask) apply(to kernel.Table, queries int) {
	n := queries * to.Stride
	factors, x := m.Data[:n], to.Data[:n]
	for i, factor := range factors {
		x[i] *= factor
	}
}
