package encoder

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// edgeInputs is the number of inputs that Edges returns.
const edgeInputs = 2

// Inputs returns the number of tensors that [Encoder.Edges] returns.
func (e Encoder) Inputs() int {
	if !e.Exists() {
		return 0
	}
	return edgeInputs
}

// Edges returns the inputs for the training triples of the data: heads, rows of relations, rows of
// their reverses and tails, [4, triples], and the factors of the messages to tails and to heads,
// [2, triples].
func (e Encoder) Edges(d *kge.Data) []*tensors.Tensor {
	if !e.Exists() {
		return nil
	}
	triples := d.Triples()
	n := len(triples)
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
	}
}

// messages describes the messages along all triples in both directions.
type messages struct {
	entities int
	// Ids of the triples, [triples, 1].
	heads, relations, reverses, tails *Node
	// Factors of the messages, [triples, 1].
	intoTails, intoHeads *Node
}

func newMessages(edges []*Node, entities int) *messages {
	row := func(x *Node, i int) *Node { return Reshape(Slice(x, AxisElem(i)), -1, 1) }
	ids, factors := edges[0], edges[1]
	return &messages{
		entities: entities,
		heads:    row(ids, 0), relations: row(ids, 1), reverses: row(ids, 2), tails: row(ids, 3),
		intoTails: row(factors, 0), intoHeads: row(factors, 1),
	}
}

// scale multiplies the factors of both messages of each triple, [triples, 1].
func (m *messages) scale(by *Node) {
	m.intoTails, m.intoHeads = Mul(m.intoTails, by), Mul(m.intoHeads, by)
}

// sums returns the sums of the messages that entities receive as tails and as heads, [entities,
// columns]. send returns the messages [triples, columns] from rows of entities and of relations.
func (m *messages) sums(
	entities, relations *Node, send func(entities, relations *Node) *Node,
) (asTails, asHeads *Node) {
	sum := func(from, along, into, factors *Node) *Node {
		sent := Mul(send(Gather(entities, from), Gather(relations, along)), factors)
		none := Zeros(sent.Graph(), shapes.Make(sent.DType(), m.entities, sent.Shape().Dim(1)))
		return ScatterSum(none, into, sent, false, false)
	}
	return sum(m.heads, m.relations, m.tails, m.intoTails),
		sum(m.tails, m.reverses, m.heads, m.intoHeads)
}
