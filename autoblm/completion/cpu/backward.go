package cpu

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
)

// collect adds to gradient, [entities of the tile, d], what the softmax of a
// unit's queries gives them. scratch has room for the queries.
func (u *unit) collect(m *model, tile int, gradient, scratch kernel.Table, add bool) {
	_, _, rows := m.tile(tile)
	x := u.exponentials[tile]
	for i := range u.count {
		factor := float32(0) // padding
		if i < 2*len(u.triples) {
			factor = u.weight * float32(math.Exp(float64(u.maxima[tile][i])-float64(u.largest[i]))/u.sums[i])
		}
		m.kernels.Scale(scratch.Row(i)[:scratch.Stride], u.rows.Row(i)[:u.rows.Stride], factor)
	}
	m.kernels.Product(gradient, x.Data, x.Stride, 1, scratch, rows, gradient.Stride, u.count, add)
}
