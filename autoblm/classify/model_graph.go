package classify

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// values are the parameters of a program, [S, …], by their names and layers.
type values map[key]*Node

type key struct {
	name  string
	layer int
}

func (v values) of(layer int, name string) *Node { return v[key{name, layer}] }

func (m *model) named(nodes []*Node) values {
	v := values{}
	for i, about := range m.parameters {
		v[key{about.name, about.layer}] = nodes[i]
	}
	return v
}

// network is a model within a program.
type network struct {
	*model
	values    values
	operators []operators
	layers    []placed
}

// place makes a network of a program's parameters, and takes the sign tensors and
// the constants from its other inputs.
func (m *model) place(parameters []*Node, in *inputs) *network {
	n := &network{model: m, values: m.named(parameters)}
	n.operators = m.operatorsOf(n.values, in.next())
	for _, p := range m.passages {
		n.layers = append(n.layers, p.place(in))
	}
	return n
}

// forward computes all layers; masks are theirs, or nil.
func (n *network) forward(masks []*Node) []*state {
	x := n.values.of(-1, entity)
	var states []*state
	for l, p := range n.layers {
		var mask *Node
		if masks != nil {
			mask = masks[l]
		}
		s := p.forward(x, n.operators[l], mask)
		states = append(states, s)
		x = s.after
	}
	return states
}

// head turns the last layer's rows [S, rows, d] into logits [S, rows, classes].
func (v values) head(x *Node) *Node {
	if weights := v.of(-1, hidden); weights != nil {
		x = MaxScalar(Add(contract(x, 2, weights, 1), v.of(-1, hiddenBias)), 0)
	}
	return Add(contract(x, 2, v.of(-1, output), 1), v.of(-1, outputBias))
}

// crossEntropy is [S]: the sum over rows of their weight times the cross entropy of
// their class. weights are [S, rows].
func (m *model) crossEntropy(logits, weights *Node) *Node {
	g, s := logits.Graph(), logits.Shape()
	classes := Iota(g, shapes.Make(Const(g, m.targets).DType(), len(m.targets), m.classes), 1)
	truth := ConvertDType(Equal(classes, BroadcastToDims(Reshape(Const(g, m.targets), -1, 1), len(m.targets), m.classes)), s.DType)
	shifted := Sub(logits, StopGradient(ReduceAndKeep(logits, ReduceMax, 2)))
	total := Log(ReduceSum(Exp(shifted), 2))
	hit := ReduceSum(Mul(shifted, ExpandLeftToRank(truth, 3)), 2)
	return ReduceSum(Mul(Sub(total, hit), weights), 1)
}

// lossAndGradients returns each member's cross entropy [S] and its gradients by
// all parameters. What passes between layers is differentiated by hand, for the
// sake of sums; the rest is small.
func (n *network) lossAndGradients(masks []*Node, weights *Node) (loss *Node, gradients []*Node) {
	states := n.forward(masks)
	last := states[len(states)-1].after
	loss = n.crossEntropy(n.values.head(last), weights)
	of := map[*Node]*Node{}
	by := []*Node{last}
	for _, about := range n.parameters {
		if about.layer < 0 && about.name != entity {
			by = append(by, n.values.of(-1, about.name))
		}
	}
	for i, gradient := range Gradient(ReduceAllSum(loss), by...) {
		of[by[i]] = gradient
	}
	byRows := of[last]
	var surrogate []*Node
	for l := len(states) - 1; l >= 0; l-- {
		var o operators
		byRows, o = n.layers[l].backward(states[l], byRows)
		surrogate = append(surrogate, n.operators[l].times(o)...)
	}
	of[n.values.of(-1, entity)] = byRows
	var rest []*Node
	for _, about := range n.parameters {
		if p := n.values.of(about.layer, about.name); of[p] == nil {
			rest = append(rest, p)
		}
	}
	for i, gradient := range Gradient(total(surrogate), rest...) {
		of[rest[i]] = gradient
	}
	for _, about := range n.parameters {
		gradients = append(gradients, of[n.values.of(about.layer, about.name)])
	}
	return loss, gradients
}

// times are scalars whose sum has, by what the operators are made of, the gradient
// of the loss, where by is its gradient by the operators.
func (o operators) times(by operators) []*Node {
	product := func(x, gradient *Node) *Node { return ReduceAllSum(Mul(x, StopGradient(gradient))) }
	all := []*Node{product(o.matrices, by.matrices), product(o.bias, by.bias)}
	if o.self != nil {
		all = append(all, product(o.self, by.self))
	}
	return all
}

func total(terms []*Node) *Node {
	sum := terms[0]
	for _, t := range terms[1:] {
		sum = Add(sum, t)
	}
	return sum
}
