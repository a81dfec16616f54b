package gomlx

import (
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// inputs returns the inputs of a graph in order.
type inputs struct{ rest []*Node }

func (in *inputs) next() *Node { return in.several(1)[0] }

// several returns the next n inputs.
func (in *inputs) several(n int) []*Node {
	first := in.rest[:n]
	in.rest = in.rest[n:]
	return first
}

// values holds the parameters [S, …] in a graph by layer and name.
type values map[int]map[string]*Node

// network is a network in a graph.
type network struct {
	*program
	values   values
	matrices []matrices
	layers   []placed
}

// place returns a network with parameters and sign tensors. It takes the constants from in.
func (p *program) place(parameters []*Node, signs *Node, in *inputs) *network {
	n := &network{program: p, values: values{}}
	for i, about := range p.Parameters {
		if n.values[about.Layer] == nil {
			n.values[about.Layer] = map[string]*Node{}
		}
		n.values[about.Layer][about.Name] = parameters[i]
	}
	n.matrices = p.matricesOf(n.values, signs)
	for _, l := range p.layers {
		n.layers = append(n.layers, l.place(in))
	}
	return n
}

// logits returns [S, rows, classes]. masks holds the dropout masks of all layers, or is nil.
func (n *network) logits(masks []*Node) *Node {
	v := n.values[-1]
	x := v[classify.EntityEmbeddings]
	for l, layer := range n.layers {
		var mask *Node
		if masks != nil {
			mask = masks[l]
		}
		x = layer.forward(x, n.matrices[l], mask)
	}
	if weights := v[classify.HiddenWeights]; weights != nil {
		x = MaxScalar(Add(contract(x, 2, weights, 1), v[classify.HiddenBias]), 0)
	}
	return Add(contract(x, 2, v[classify.OutputWeights], 1), v[classify.OutputBias])
}

// crossEntropy returns [S]: the sum over rows of their weights [S, rows] times the cross entropy of
// their class.
func (p *program) crossEntropy(logits, weights *Node) *Node {
	targets := make([]int32, len(p.Outputs))
	for i, row := range p.Outputs {
		targets[row] = p.Targets[i]
	}
	g, rows := logits.Graph(), len(targets)
	classes := Iota(g, shapes.Make(dtypes.Int32, rows, p.Classes), 1)
	truth := ConvertDType(Equal(classes, BroadcastToDims(Reshape(Const(g, targets), rows, 1), rows,
		p.Classes)), logits.DType())
	shifted := Sub(logits, StopGradient(ReduceAndKeep(logits, ReduceMax, 2)))
	total := Log(ReduceSum(Exp(shifted), 2))
	hit := ReduceSum(Mul(shifted, ExpandLeftToRank(truth, 3)), 2)
	return ReduceSum(Mul(Sub(total, hit), weights), 1)
}
