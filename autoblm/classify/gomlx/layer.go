package gomlx

import (
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// layer holds the sizes of a layer and which constants it takes.
type layer struct {
	rows, blocks, blockSize int
	self                    bool
	has                     [weightKinds]bool
}

// Kinds of weights that a layer may have; see [classify.Layer] and [classify.Messages].
const (
	learned = iota // 0 for rows below that are not learned
	ofSources
	ofMessages
	ofTargets
	weightKinds
)

// newLayer returns a layer and its constants, in the order of [layer.place].
func newLayer(n *classify.Network, at int) (*layer, []*tensors.Tensor) {
	own, messages := n.Layers[at], n.Messages(at, 0)
	l := &layer{rows: len(own.Nodes), blocks: len(messages.Relations), blockSize: messages.BlockSize,
		self: n.Settings.SelfLoops}
	var constants []*tensors.Tensor
	indices := func(list []int32) {
		constants = append(constants, tensors.FromFlatDataAndDimensions(list, len(list), 1))
	}
	if l.blocks > 0 {
		message, source := pairs(messages.Sources)
		row, incoming := pairs(messages.Incoming)
		for _, list := range [][]int32{source, message, incoming, row, messages.Relations} {
			indices(list)
		}
	}
	if l.self {
		indices(own.Self)
	}
	var all [weightKinds][]float32
	if own.Blank != nil {
		all[learned] = make([]float32, own.Below)
		for row, blank := range own.Blank {
			if !blank {
				all[learned][row] = 1
			}
		}
	}
	all[ofSources], all[ofMessages], all[ofTargets] = own.SourceWeights, messages.Weights,
		own.TargetWeights
	for kind, weights := range all {
		if l.has[kind] = len(weights) > 0; l.has[kind] {
			constants = append(constants, tensors.FromFlatDataAndDimensions(weights, 1, len(weights), 1))
		}
	}
	return l, constants
}

// pairs returns, for each number in the lists, the index of its list and the number.
func pairs(lists [][]int32) (of, numbers []int32) {
	for i, list := range lists {
		for _, n := range list {
			of, numbers = append(of, int32(i)), append(numbers, n)
		}
	}
	return of, numbers
}

// placed is a layer with its constants in a graph.
type placed struct {
	*layer
	source, message  *Node // pairs of sources and the messages that they are added to
	incoming, row    *Node // pairs of messages and the rows that they are added to
	relation, itself *Node // relation of each block; row below of each row's node
	weights          [weightKinds]*Node
}

func (l *layer) place(in *inputs) placed {
	p := placed{layer: l}
	if l.blocks > 0 {
		p.source, p.message, p.incoming, p.row, p.relation = in.next(), in.next(), in.next(), in.next(),
			in.next()
	}
	if l.self {
		p.itself = in.next()
	}
	for kind := range p.weights {
		if l.has[kind] {
			p.weights[kind] = in.next()
		}
	}
	return p
}

// forward computes the layer's rows [S, rows, d] from the rows below: the ReLU of the sum of all
// messages, self-loops and bias, times the dropout mask [S, rows, d], if any.
func (p placed) forward(x *Node, m matrices, mask *Node) *Node {
	models, d, height := x.Shape().Dim(0), x.Shape().Dim(2), m.relations.Shape().Dim(2)
	x = p.weighted(x, learned)
	if height > d {
		x = Concatenate([]*Node{x, OnesLike(Slice(x, AxisRange(), AxisRange(), AxisRange(0, 1)))}, 2)
	}
	sum := BroadcastToDims(m.bias, models, p.rows, d)
	if p.blocks > 0 {
		gathered := sums(rows(p.weighted(x, ofSources), p.source), p.message, p.blocks*p.blockSize)
		gathered = Reshape(p.weighted(gathered, ofMessages), models*p.blocks, p.blockSize, height)
		matrices := rows(Reshape(m.relations, models, -1, height*d), p.relation)
		products := contract(gathered, 2, Reshape(matrices, models*p.blocks, height, d), 1)
		messages := sums(rows(Reshape(products, models, -1, d), p.incoming), p.row, p.rows)
		sum = Add(sum, p.weighted(messages, ofTargets))
	}
	if p.self {
		sum = Add(sum, contract(rows(x, p.itself), 2, m.self, 1))
	}
	// A sum of 0, as of a node without messages, passes no gradient.
	sum = Mul(sum, ConvertDType(GreaterThan(sum, ScalarZero(sum.Graph(), sum.DType())), sum.DType()))
	if mask != nil {
		sum = Mul(sum, mask)
	}
	return sum
}

// weighted multiplies rows by weights of a kind, if there are any.
func (p placed) weighted(x *Node, kind int) *Node {
	if p.weights[kind] == nil {
		return x
	}
	return Mul(x, p.weights[kind])
}

// rows gathers the same rows of each model's table [S, rows, d]: [S, count, d].
func rows(x, indices *Node) *Node {
	s := x.Shape()
	flat := Reshape(x, s.Dim(0)*s.Dim(1), s.Dim(2))
	return Reshape(Gather(flat, ofEach(indices, s.Dim(0), s.Dim(1))), s.Dim(0), -1, s.Dim(2))
}

// sums returns [S, count, d]: row i is the sum of the rows of x with index i.
func sums(x, indices *Node, count int) *Node {
	models, d := x.Shape().Dim(0), x.Shape().Dim(2)
	zeros := Zeros(x.Graph(), shapes.Make(x.DType(), models*count, d))
	return Reshape(ScatterSum(zeros, ofEach(indices, models, count), Reshape(x, -1, d), false, false),
		models, count, d)
}

// ofEach repeats row indices [n, 1] for all models, whose tables are concatenated.
func ofEach(indices *Node, models, rows int) *Node {
	if models == 1 {
		return indices
	}
	n := indices.Shape().Dim(0)
	first := MulScalar(Iota(indices.Graph(), shapes.Make(indices.DType(), models, n), 0), rows)
	return Reshape(Add(BroadcastToDims(Reshape(indices, 1, n), models, n), first), models*n, 1)
}

// contract multiplies the matrices of each model, summing over one axis of each.
func contract(a *Node, axisOfA int, b *Node, axisOfB int) *Node {
	return Dot(a, b).General([]int{axisOfA}, []int{0}, []int{axisOfB}, []int{0})
}
