package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// neuralArithmetic returns a neural form for ranking.
func neuralArithmetic(f form.Neural) arithmetic {
	return arithmetic{
		newHop: func(_ *kernel.Set, _ structure.Structure, dim int) hop {
			return neuralHop{form: f, dim: dim}
		},
		newMeasure: func(int) tiles.Measure { return tiles.Products{} },
	}
}

// NeuralInFloat64 implements [kge.NeuralInFloat64].
func (e *Engine) NeuralInFloat64() {}

// neuralHop makes queries by the definition in float64. It has no gradients, because the engine does
// not train neural forms.
type neuralHop struct {
	form          form.Neural
	dim           int
	globals       [][]float32
	rows, columns int // of a relation
}

func (h neuralHop) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	anchor, relation := make([]float64, h.dim), make([]float64, h.rows*h.columns)
	for path := range n {
		widen(anchor, from.Row(path))
		for i := range h.rows {
			widen(relation[i*h.columns:][:h.columns], relations[0].Row(path*h.rows+i))
		}
		row := to.Row(path)
		for i, x := range h.form.Hop(anchor, relation, transposed, h.globals) {
			row[i] += float32(x)
		}
	}
}

// widen copies the first numbers of a row.
func widen(to []float64, row []float32) {
	for i := range to {
		to[i] = float64(row[i])
	}
}

func (neuralHop) Back(_, _ kernel.Table, _ []kernel.Table, _ hopGradients, _ int, _ bool) {
	panic("neural forms do not train on this engine, see Supports")
}
