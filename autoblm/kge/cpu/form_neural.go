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
	const block = 16 // queries, whose states stay in the first-level cache
	anchors, rows := makeRows(min(n, block), h.dim), makeRows(min(n, block), h.rows*h.columns)
	for start := 0; start < n; start += block {
		count := min(block, n-start)
		for i := range count {
			widen(anchors[i], from.Row(start+i))
			for row := range h.rows {
				numbers := relations[0].Row((start+i)*h.rows + row)
				widen(rows[i][row*h.columns:][:h.columns], numbers)
			}
		}
		states := h.form.Hops(anchors[:count], rows[:count], transposed, h.globals)
		for i, state := range states {
			row := to.Row(start + i)
			for j, x := range state {
				row[j] += float32(x)
			}
		}
	}
}

// makeRows returns rows of numbers.
func makeRows(rows, columns int) [][]float64 {
	all := make([][]float64, rows)
	for i := range all {
		all[i] = make([]float64, columns)
	}
	return all
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
