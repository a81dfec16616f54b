package encoder

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// edgeInputs is the number of inputs that Edges returns.
const edgeInputs = 5

// Inputs returns the number of tensors that [Encoder.Edges] returns.
func (e Encoder) Inputs() int {
	if !e.Exists() {
		return 0
	}
	return edgeInputs
}

// Edges returns the inputs for the training triples of the data and one more, which fills groups: heads,
// rows of relations, rows of their reverses and tails, [4, triples+1]; the factors of the messages to
// tails and to heads, [2, triples+1], zero for the last; and the triples in groups of one head, one
// relation and one tail, see [grouped].
func (e Encoder) Edges(d *kge.Data) []*tensors.Tensor {
	if !e.Exists() {
		return nil
	}
	triples := d.Triples()
	n := len(triples) + 1
	ids, factors := make([]int32, 4*n), make([]float32, 2*n)
	fromHead, toTail := make([]float64, len(d.Entities)), make([]float64, len(d.Entities))
	for i, t := range triples {
		ids[i], ids[3*n+i] = t.Head, t.Tail
		ids[n+i], ids[2*n+i] = t.Relation, int32(len(d.Relations))+t.Relation
		if !e.settings.Reciprocal { // a relation has two rows, see [kge.EncoderCoefficients]
			ids[n+i], ids[2*n+i] = 2*t.Relation, 2*t.Relation+1
		}
		fromHead[t.Head]++
		toTail[t.Tail]++
	}
	for i, t := range triples {
		if e.settings.Encoder == kge.RGCN {
			factors[i], factors[n+i] = float32(1/toTail[t.Tail]), float32(1/fromHead[t.Head])
			continue
		}
		both := float32(1 / math.Sqrt(fromHead[t.Head]*toTail[t.Tail]))
		factors[i], factors[n+i] = both, both
	}
	return []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(ids, 4, n), tensors.FromFlatDataAndDimensions(factors, 2, n),
		grouped(ids[:n-1]), grouped(ids[n : 2*n-1]), grouped(ids[3*n : 4*n-1]),
	}
}

// messages describes the messages along all triples in both directions.
type messages struct {
	heads, relations, reverses, tails role
	intoTails, intoHeads              *Node // factors of the messages, [triples+1, 1]
}

// role is a place in triples.
type role struct {
	ids    *Node // rows of a table, [triples+1, 1]
	groups *Node // triples with one id, [groups, width]
}

func newMessages(edges []*Node) *messages {
	row := func(x *Node, i int) *Node { return Reshape(Slice(x, AxisElem(i)), -1, 1) }
	ids, factors := edges[0], edges[1]
	return &messages{
		heads: role{row(ids, 0), edges[2]}, tails: role{row(ids, 3), edges[4]},
		relations: role{row(ids, 1), edges[3]}, reverses: role{row(ids, 2), edges[3]},
		intoTails: row(factors, 0), intoHeads: row(factors, 1),
	}
}

// scale multiplies the factors of both messages of each triple, [triples+1, 1].
func (m *messages) scale(by *Node) {
	m.intoTails, m.intoHeads = Mul(m.intoTails, by), Mul(m.intoHeads, by)
}

// sums returns the sums of the messages that entities receive as tails and as heads, [entities,
// columns]. A message is the sum of terms.
func (m *messages) sums(terms []term) (asTails, asHeads *Node) {
	for _, t := range terms {
		asTails = plus(asTails, flow{m.heads, m.relations, m.tails, m.intoTails}.sum(t))
		asHeads = plus(asHeads, flow{m.tails, m.reverses, m.heads, m.intoHeads}.sum(t))
	}
	return asTails, asHeads
}
