package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// convArithmetic returns ConvE for ranking.
func convArithmetic(c form.ConvE) arithmetic {
	return arithmetic{
		newHop: func(_ *kernel.Set, _ structure.Structure, dim int) hop {
			return convolution{sizes: c, dim: dim}
		},
		newMeasure: func(int) tiles.Measure { return tiles.Products{} },
	}
}

// convolution makes the queries of ConvE by its definition in float64. It has no gradients, because
// the engine does not train ConvE.
type convolution struct {
	sizes   form.ConvE
	dim     int
	globals [][]float32
}

func (h convolution) Step(to, from kernel.Table, relations []kernel.Table, n int, _ bool) {
	head, relation := make([]float64, h.dim), make([]float64, h.dim)
	for i := range n {
		for j := range h.dim {
			head[j], relation[j] = float64(from.Row(i)[j]), float64(relations[0].Row(i)[j])
		}
		row := to.Row(i)
		for j, x := range h.sizes.Query(head, relation, h.globals) {
			row[j] += float32(x)
		}
	}
}

func (convolution) Back(_, _ kernel.Table, _ []kernel.Table, _ hopGradients, _ int, _ bool) {
	panic("ConvE does not train on this engine, see Supports")
}
