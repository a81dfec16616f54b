package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// lists hold the rows that a layer adds up, forward and backward.
type lists struct {
	below, rows       int
	sources, incoming rowLists // from rows below to messages to rows
	targets, outgoing rowLists // gradients, from rows to messages to rows below
	self              []int32  // row below of each row's node
	blank             []bool   // rows below that are not learned; nil for none
	relations         []span
	ones              []float32 // value of each message for a table of ones
	// Weights of rows below, messages and rows; nil stands for ones.
	sourceWeights, weights, targetWeights []float32
}

// span holds the range of messages of a relation.
type span struct{ relation, from, to int }

func newLists(n *classify.Network, at int) *lists {
	layer, messages := n.Layers[at], n.Messages(at, 1)
	l := &lists{
		below: layer.Below, rows: len(layer.Nodes), self: layer.Self, blank: layer.Blank,
		sources: newRowLists(messages.Sources), incoming: newRowLists(messages.Incoming),
		targets: newRowLists(messages.Targets()), outgoing: newRowLists(messages.Outgoing(layer)),
		sourceWeights: layer.SourceWeights, weights: messages.Weights, targetWeights: layer.TargetWeights,
	}
	for i, r := range messages.Relations {
		if last := len(l.relations) - 1; last >= 0 && l.relations[last].relation == int(r) {
			l.relations[last].to++
		} else {
			l.relations = append(l.relations, span{int(r), i, i + 1})
		}
	}
	for i, sources := range messages.Sources {
		sum := float32(0)
		for _, row := range sources {
			sum += weightOf(l.sourceWeights, int(row))
		}
		l.ones = append(l.ones, sum*weightOf(l.weights, i))
	}
	return l
}

func weightOf(weights []float32, i int) float32 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// rowLists holds lists of rows: list i is rows[starts[i]:starts[i+1]].
type rowLists struct{ starts, rows []int32 }

func newRowLists(all [][]int32) rowLists {
	l := rowLists{starts: []int32{0}}
	for _, list := range all {
		l.rows = append(l.rows, list...)
		l.starts = append(l.starts, int32(len(l.rows)))
	}
	return l
}

func (l rowLists) of(i int) []int32 { return l.rows[l.starts[i]:l.starts[i+1]] }

// sum sets each row of to to the sum of the rows of from in its list, with the weights of both; nil
// stands for ones. Columns that from lacks become zero.
func (l rowLists) sum(k *kernel.Set, to, from table, weights, fromWeights []float32) {
	width := min(to.Stride, from.Stride)
	for i := range len(l.starts) - 1 {
		out, own, list := to.padded(i), weightOf(weights, i), l.of(i)
		clear(out[width:])
		out = out[:width]
		if len(list) == 0 {
			clear(out)
		}
		for n, row := range list {
			factor := own * weightOf(fromWeights, int(row))
			if x := from.Row(int(row))[:width]; n == 0 {
				k.Scale(out, x, factor)
			} else {
				k.ScaleAdd(out, x, factor)
			}
		}
	}
}
