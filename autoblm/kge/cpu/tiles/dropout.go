package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
)

// Mask holds a dropout factor for each coordinate of queries: 0 if it is dropped, else
// 1/(1-share).
type Mask struct{ kernel.Table }

// NewMask allocates a mask for a number of queries.
func NewMask(queries, dim int) *Mask { return &Mask{NewTable(queries, dim)} }

// Draw draws the factors of a query from its number in the batch, see [dropout.Key].
func (m *Mask) Draw(key uint32, query, number, dim int, share float64) {
	kept := math.Float32bits(float32(1 / (1 - share)))
	threshold := dropout.Threshold(share)
	input := key + dropout.Stride*uint32(number*dim)
	factors := m.Row(query)[:dim]
	for coordinate := range factors {
		factor := kept
		if dropout.Scramble(input) < threshold { // on bits, so compiled without a branch
			factor = 0
		}
		factors[coordinate] = math.Float32frombits(factor)
		input += dropout.Stride
	}
}

// Apply multiplies queries or their gradient by the factors.
func (m *Mask) Apply(to kernel.Table, queries int) {
	n := queries * to.Stride
	factors, x := m.Data[:n], to.Data[:n]
	for i, factor := range factors {
		x[i] *= factor
	}
}
