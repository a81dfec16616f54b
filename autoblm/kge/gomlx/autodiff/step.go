package autodiff

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/optimizer"
	. "github.com/gomlx/gomlx/core/graph"
)

// step is the program of a part of a batch. The last part of a batch takes the step. The inputs are the
// gradients of the parts before if this is not the first, the tables and, for the last part, the slots
// of the optimizer, the edges of an encoder, operators and the vectors of [packed.tensors]. The outputs
// are the new state or else the sums of gradients, and then the loss of the part.
type step struct {
	recipe
	layout
	optimizer       kge.Optimizer
	maxNorm         bool
	isFirst, isLast bool
}

// slots returns the number of tables that the program has for each table of the model.
func (p step) slots() int {
	if p.isLast {
		return optimizer.Rules[p.optimizer].Slots
	}
	return 0
}

func (p step) graph(_ *Graph, all []*Node) []*Node {
	next := func(n int) []*Node {
		some := all[:n:n]
		all = all[n:]
		return some
	}
	n := p.tables
	var before []*Node
	if !p.isFirst {
		before = next(n)
	}
	state, edges := next(n*(1+p.slots())), next(p.encoder.Inputs())
	in := p.unpack(all[1], all[2])
	loss, averages := p.loss(state[:n:n], edges, all[0], in)
	byTable := Gradient(loss, state[:n]...)
	for i := range before {
		byTable[i] = Add(byTable[i], before[i])
	}
	if !p.isLast {
		return append(byTable, loss)
	}
	return append(p.update(state, byTable, averages, in), loss)
}

// update returns the new state: the tables, and then those of each slot of the optimizer. averages
// replace the last rows of the last table of the form, see [averaging].
func (p step) update(state, byTable []*Node, averages *Node, in in) []*Node {
	n, norms := p.tables, len(p.specs())
	rule := optimizer.Rules[p.optimizer]
	after := make([]*Node, len(state))
	for i, gradient := range byTable {
		var slots []*Node
		for slot := range rule.Slots {
			slots = append(slots, state[n*(1+slot)+i])
		}
		rate := Reshape(Slice(in[inRates], AxisElem(i)))
		for slot, x := range rule.Update(state[i], gradient, slots, rate, in.number(inStep)) {
			after[n*slot+i] = x
		}
	}
	if averages != nil {
		learned := Slice(after[norms], AxisRange(0, p.firstAverage()))
		after[norms] = Concatenate([]*Node{learned, averages}, 0)
	}
	if p.maxNorm {
		rows := Reshape(after[0], -1, after[0].Shape().Dim(1)/p.form.Vectors())
		after[0] = ReshapeWithShape(optimizer.ClipNorms(rows, in.number(inMaxNorm)), after[0].Shape())
	}
	return after
}
