package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

var _ = register(form.Query2box, arithmetic{
	newHop:     func(k *kernel.Set, _ structure.Structure, _ int) hop { return boxGrowth{k} },
	newMeasure: func(dim int) tiles.Measure { return tiles.BoxDistances{Dim: dim} },
})

// boxGrowth moves the centre of a box, the first row of a state, by the first row of the
// relation. To half its side lengths, the second row, it adds max(0, second row of the relation).
type boxGrowth struct{ kernels *kernel.Set }

func (h boxGrowth) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	copy(first(to, 2*n), first(from, 2*n))
	for i := range n {
		centre, move := tiles.PaddedRow(to, 2*i), tiles.PaddedRow(relations[0], 2*i)
		h.kernels.ScaleAdd(centre, move, negateIf(transposed))
		half := tiles.PaddedRow(to, 2*i+1)
		for column, grow := range tiles.PaddedRow(relations[0], 2*i+1) {
			half[column] += max(grow, 0)
		}
	}
}

func (h boxGrowth) Back(
	gradient, _ kernel.Table, relations []kernel.Table, to hopGradients, n int, transposed bool,
) {
	h.kernels.ScaleAdd(first(to.from, 2*n), first(gradient, 2*n), 1)
	for i := range n {
		gradMove := tiles.PaddedRow(to.relations[0], 2*i)
		h.kernels.ScaleAdd(gradMove, tiles.PaddedRow(gradient, 2*i), negateIf(transposed))
		gradHalf := tiles.PaddedRow(gradient, 2*i+1)
		gradGrow := tiles.PaddedRow(to.relations[0], 2*i+1)
		for column, grow := range tiles.PaddedRow(relations[0], 2*i+1) {
			if grow > 0 {
				gradGrow[column] += gradHalf[column]
			}
		}
	}
}
