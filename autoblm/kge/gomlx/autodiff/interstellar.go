package autodiff

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	. "github.com/gomlx/gomlx/core/graph"
)

// interstellar has the graphs of Interstellar, see [form.Cell]. Both chains run together: vectors are
// [questions, 2, d/2], first those of the forward chain.
type interstellar struct {
	products
	form.Cell
}

func (f interstellar) hop(c *pass, states *Node, h hop) *Node {
	entities := chains(states)
	outputs, _ := f.use(c, entities, entities, h)
	return queriesOf(outputs)
}

// read returns the queries after paths with known entities. A path shorter than others has its query
// after its last hop.
func (f interstellar) read(c *pass, t tables, start *Node, p paths) *Node {
	entities := chains(start)
	states, queries := entities, InsertAxes(start, 1)
	for n := range p.hops() {
		h := p.at(c, t, n)
		if n > 0 {
			entities = chains(lookUp(t.entities, Squeeze(Slice(p.passed, AxisElem(n)), 0)))
		}
		var outputs *Node
		outputs, states = f.use(c, entities, states, h)
		isHop := NotEqual(h.sign, ScalarZero(h.sign.Graph(), h.sign.DType()))
		queries = Where(BroadcastToShape(isHop, queries.Shape()), queriesOf(outputs), queries)
	}
	return queries
}

// chains returns the vectors that the chains read, of rows of entities.
func chains(rows *Node) *Node { return Reshape(rows, rows.Shape().Dim(0), 2, -1) }

// queriesOf returns the outputs of the chains as queries [questions, 1, d], in the order of the rows
// of entities: the forward chain asks for objects, which are second.
func queriesOf(outputs *Node) *Node {
	return Reshape(swapped(outputs), outputs.Shape().Dim(0), 1, -1)
}

// swapped exchanges the vectors of the chains. GoMLX has no gradient of [Reverse].
func swapped(x *Node) *Node {
	return Concatenate([]*Node{
		Slice(x, AxisRange(), AxisElem(1)), Slice(x, AxisRange(), AxisElem(0)),
	}, 1)
}

// use returns the outputs of the cells and their next states.
func (f interstellar) use(c *pass, entities, states *Node, h hop) (outputs, next *Node) {
	relations := h.choose(func() *Node { return h.rows[0] }, func() *Node { return swapped(h.rows[0]) })
	inputs := map[int]*Node{
		form.CellEntity: entities, form.CellState: states, form.CellZero: ZerosLike(states),
	}
	apply := func(n int, x, y *Node) *Node {
		return f.combine(c, f.Function(n), f.linear(c, 2*n, x), f.linear(c, 2*n+1, y))
	}
	inputs[form.CellOutput] = f.activate(0, apply(0, entities, states))
	next = f.activate(1, apply(1, inputs[f.Input(1)], relations))
	return apply(2, inputs[f.Input(2)], next), next
}

// linear returns W x for a matrix of the cell, by its number.
func (f interstellar) linear(c *pass, n int, x *Node) *Node {
	size := c.dim / 2
	first, inputs, hasBias := f.Weights(n, size)
	if inputs == 0 {
		return x
	}
	weights := c.globals[0]
	y := Dot(x, Slice(weights, AxisRange(first, first+inputs))).General([]int{2}, nil, []int{0}, nil)
	if hasBias {
		bias := Slice(weights, AxisElem(first+inputs))
		y = Add(y, BroadcastToShape(Reshape(bias, 1, 1, size), y.Shape()))
	}
	return y
}

func (f interstellar) combine(c *pass, function int, x, y *Node) *Node {
	switch function {
	case form.CellProduct:
		return Mul(x, y)
	case form.CellComplex:
		a, b := halves(x)
		c, d := halves(y)
		return Concatenate([]*Node{Sub(Mul(a, c), Mul(b, d)), Add(Mul(a, d), Mul(b, c))}, -1)
	case form.CellGate:
		share := Sigmoid(f.linear(c, form.CellGateMatrix, Concatenate([]*Node{x, y}, -1)))
		return Add(x, Mul(share, Sub(y, x)))
	}
	return Add(x, y)
}

func (f interstellar) activate(n int, x *Node) *Node {
	switch f.Activation(n) {
	case form.CellTanh:
		return Tanh(x)
	case form.CellSigmoid:
		return Sigmoid(x)
	}
	return x
}
