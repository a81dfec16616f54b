package autodiff

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/optimizer"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// update is the program that takes a step. Its inputs are the state, gradients as those of
// [gradients], a learning rate per table, the number of the step and the largest norm of entities.
// Its output is the new state: the tables, and then those of each slot of the optimizer.
type update struct {
	model
	learned   int // number of tables
	optimizer kge.Optimizer
	maxNorm   bool
}

func (p update) graph(_ *Graph, all []*Node) []*Node {
	n := p.learned
	rule := optimizer.Rules[p.optimizer]
	size := n * (1 + rule.Slots)
	state, byTable, rest := all[:size], all[size:size+n], all[size+n:]
	rates, step, maxNorm := rest[0], ConvertDType(rest[1], dtypes.Float32), rest[2]
	norms := len(p.specs()) // the last table of the form
	first, last := p.firstAverage(), byTable[norms]
	if first >= 0 {
		averages := Slice(last, AxisRange(first))
		byTable[norms] = Concatenate([]*Node{Slice(last, AxisRange(0, first)), ZerosLike(averages)}, 0)
	}
	after := make([]*Node, size)
	for i, gradient := range byTable {
		var slots []*Node
		for slot := range rule.Slots {
			slots = append(slots, state[n*(1+slot)+i])
		}
		rate := Reshape(Slice(rates, AxisElem(i)))
		for slot, x := range rule.Update(state[i], gradient, slots, rate, step) {
			after[n*slot+i] = x
		}
	}
	if first >= 0 {
		learned := Slice(after[norms], AxisRange(0, first))
		after[norms] = Concatenate([]*Node{learned, Slice(last, AxisRange(first))}, 0)
	}
	if p.maxNorm {
		rows := Reshape(after[0], -1, after[0].Shape().Dim(1)/p.form.Vectors())
		after[0] = ReshapeWithShape(optimizer.ClipNorms(rows, maxNorm), after[0].Shape())
	}
	return after
}
