package classify

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// inputs hands out the inputs of a program in their order.
type inputs struct{ rest []*Node }

func (in *inputs) next() *Node {
	first := in.rest[0]
	in.rest = in.rest[1:]
	return first
}

// placed is a passage within a program.
type placed struct {
	*passage
	indices map[*sums]*Node
	// Weights are [1, rows, 1]; nil stands for ones.
	sourceWeights, carrierWeights, targetWeights, selfWeights *Node
}

func (p *passage) place(in *inputs) placed {
	at := placed{passage: p, indices: map[*sums]*Node{}}
	for _, plan := range p.plans() {
		at.indices[plan] = in.next()
	}
	weights := func(values []float64) *Node {
		if values == nil {
			return nil
		}
		return in.next()
	}
	at.sourceWeights, at.carrierWeights = weights(p.sourceWeights), weights(p.carrierWeights)
	at.targetWeights, at.selfWeights = weights(p.targetWeights), weights(p.selfWeights)
	return at
}

func (p placed) sum(plan *sums, x *Node) *Node { return plan.of(x, p.indices[plan]) }

// operators make messages: a carrier's row e, with a 1 behind it if they have d+1
// rows, is multiplied by the matrix of its relation, and so is an entity's own by
// the matrix of self-loops.
type operators struct {
	matrices *Node // [S, relations, d or d+1, d]
	self     *Node // [S, d or d+1, d]; nil without self-loops
	bias     *Node // [S, 1, d]
}

// state is what a layer's backward pass needs of its forward pass.
type state struct {
	operators
	mask     *Node // see forward
	carried  *Node // [S·blocks, size, d or d+1]
	lent     *Node // [S·blocks, d or d+1, d]: the matrix of each block
	selfRows *Node // [S, targets, d or d+1]
	after    *Node // [S, targets, d]
}

// forward computes a layer's rows [S, targets, d] from those below:
// ReLU of the sum of all messages. mask [S, targets, d] multiplies them: 0 for
// what is dropped, and as much more for the rest; nil drops nothing.
func (p placed) forward(x *Node, o operators, mask *Node) *state {
	members, rows, d := x.Shape().Dim(0), o.matrices.Shape().Dim(2), x.Shape().Dim(2)
	s := &state{operators: o, mask: mask}
	if rows > d {
		x = Concatenate([]*Node{x, OnesLike(Slice(x, AxisRange(), AxisRange(), AxisRange(0, 1)))}, 2)
	}
	carried := weighted(p.sum(p.collect, weighted(x, p.sourceWeights)), p.carrierWeights)
	s.carried = Reshape(carried, members*p.blocks, p.size, rows)
	flat := Reshape(o.matrices, members, -1, rows*d)
	s.lent = Reshape(p.sum(p.lend, flat), members*p.blocks, rows, d)
	products := contract(s.carried, 2, s.lent, 1)
	sum := weighted(p.sum(p.spread, Reshape(products, members, -1, d)), p.targetWeights)
	if o.self != nil {
		s.selfRows = p.sum(p.self, x)
		sum = Add(sum, contract(s.selfRows, 2, o.self, 1))
	}
	s.after = MaxScalar(Add(sum, o.bias), 0)
	if mask != nil {
		s.after = Mul(s.after, mask)
	}
	return s
}

// backward turns the gradient by a layer's rows into those by the rows below and
// by the operators.
func (p placed) backward(s *state, byAfter *Node) (byBelow *Node, by operators) {
	members, rows, d := byAfter.Shape().Dim(0), s.matrices.Shape().Dim(2), byAfter.Shape().Dim(2)
	if s.mask != nil {
		byAfter = Mul(byAfter, s.mask)
	}
	bySum := Mul(byAfter, Sign(s.after)) // no coordinate of it is below 0
	by.bias = ReduceAndKeep(bySum, ReduceSum, 1)
	byProducts := Reshape(p.sum(p.unspread, weighted(bySum, p.targetWeights)), members*p.blocks, p.size, d)
	byLent := contract(s.carried, 1, byProducts, 1)
	by.matrices = Reshape(p.sum(p.merge, Reshape(byLent, members, p.blocks, rows*d)), members, -1, rows, d)
	byCarried := weighted(Reshape(contract(byProducts, 2, s.lent, 2), members, -1, rows), p.carrierWeights)
	if s.self != nil {
		by.self = contract(s.selfRows, 1, bySum, 1)
		bySelf := contract(bySum, 2, s.self, 2)
		byCarried = joined([]*Node{byCarried, weighted(bySelf, p.selfWeights)})
	}
	byBelow = weighted(p.sum(p.back, byCarried), p.sourceWeights)
	return Slice(byBelow, AxisRange(), AxisRange(), AxisRange(0, d)), by
}

// weighted multiplies rows by weights; nil stands for ones.
func weighted(x, weights *Node) *Node {
	if weights == nil {
		return x
	}
	return Mul(x, weights)
}

// contract multiplies matrices of equal numbers, summing over one axis of each.
func contract(a *Node, axisOfA int, b *Node, axisOfB int) *Node {
	return Dot(a, b).General([]int{axisOfA}, []int{0}, []int{axisOfB}, []int{0})
}
