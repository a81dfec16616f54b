package autodiff

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	. "github.com/gomlx/gomlx/core/graph"
)

// recurrence reads symbols [walks, n] one after the other with the layers of RSN.
type recurrence struct {
	*pass
	cells, outputs [form.LSTMLayers]*Node // nil before the first symbol

	isFirst          bool // hop, whose averages count
	means, variances [form.RSNAverages]*Node
}

// hop reads an entity and a relation. It returns the vectors that answers after each of them are
// compared with; that after the entity only in training. kept is as in read, by symbol, or nil.
func (r *recurrence) hop(entity, relation *Node, kept []*Node) (afterEntity, afterRelation *Node) {
	entity = r.normalize(entity, form.RSNInput, form.RSNEntity)
	relation = r.normalize(relation, form.RSNInput, form.RSNRelation)
	if kept == nil {
		kept = make([]*Node, 2)
	}
	afterEntity = r.read(entity, kept[0])
	if r.training {
		afterEntity = r.normalize(afterEntity, form.RSNOutput, noAverage)
	}
	afterRelation = r.skip(r.read(relation, kept[1]), entity)
	return afterEntity, r.normalize(afterRelation, form.RSNOutput, form.RSNAfterRelation)
}

// read returns the output of the upper layer after a symbol. kept has the factors of the outputs of
// layers, [walks, layers, n], if some are dropped. A layer reads its own output before whole.
func (r *recurrence) read(x, kept *Node) *Node {
	n := r.dim / 2
	for layer := range form.LSTMLayers {
		first, inputs := (2*n+1)*layer, n
		if r.outputs[layer] != nil {
			x, inputs = Concatenate([]*Node{x, r.outputs[layer]}, 1), 2*n
		}
		weights := Slice(r.globals[0], AxisRange(first, first+inputs))
		sums := Dot(x, weights).General([]int{1}, nil, []int{0}, nil)
		bias := Slice(r.globals[0], AxisElem(first+2*n))
		sums = Add(sums, BroadcastToShape(bias, sums.Shape()))
		gate := func(i int) *Node { return Slice(sums, AxisRange(), AxisRange(i*n, (i+1)*n)) }
		cell := Mul(Sigmoid(gate(0)), gate(1))
		if before := r.cells[layer]; before != nil {
			cell = Add(Mul(Sigmoid(AddScalar(gate(2), 1)), before), cell)
		}
		x = Mul(Sigmoid(gate(3)), cell)
		r.cells[layer], r.outputs[layer] = cell, x
		if kept != nil {
			x = Mul(x, Squeeze(Slice(kept, AxisRange(), AxisElem(layer)), 1))
		}
	}
	return x
}

// skip adds the entity before a relation to the output after it.
func (r *recurrence) skip(output, entity *Node) *Node {
	return Dot(Concatenate([]*Node{output, entity}, 1), r.globals[1]).General([]int{1}, nil, []int{0}, nil)
}

// noAverage stands for averages that no score needs.
const noAverage = -1

// normalize normalizes the vectors of one position in walks.
func (r *recurrence) normalize(x *Node, side, average int) *Node {
	row := func(i int) *Node { return Slice(r.globals[2], AxisElem(i)) }
	norm := batchNorm{
		gamma: row(form.RSNGamma + side), beta: row(form.RSNBeta + side),
		mean: row(form.RSNMean + max(0, average)), variance: row(form.RSNVariance + max(0, average)),
		epsilon: form.RSNEpsilon, momentum: form.NormMomentum,
	}
	normalized, mean, variance := norm.apply(r.pass, InsertAxes(x, 1))
	if r.isFirst && average != noAverage {
		r.means[average], r.variances[average] = mean, variance
	}
	return Squeeze(normalized, 1)
}
