package encoder

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	. "github.com/gomlx/gomlx/core/graph"
)

// layer is a layer of an encoder, counted from 1.
type layer struct {
	Encoder
	number int
	all    map[string]*Node // tables of all layers by name
}

func (l layer) table(name string) *Node { return l.all[kge.EncoderTable(l.number, name)] }

// transformed multiplies the rows of x by a matrix.
func (l layer) transformed(x *Node, matrix string) *Node { return product(x, l.table(matrix)) }

// product multiplies matrices.
func product(x, y *Node) *Node { return Dot(x, y).General([]int{1}, nil, []int{0}, nil) }

// compGCN returns the entities and relations after a layer of CompGCN, see [kge.Encoding].
func (l layer) compGCN(entities, relations *Node, m *messages) (x, r *Node) {
	phi := l.composition(entities.Shape().Dim(1))
	asTails, asHeads := m.sums(phi.terms(entities, relations))
	x = l.transformed(phi.after(asTails), kge.EncoderForward)
	x = Add(x, l.transformed(phi.after(asHeads), kge.EncoderReverse))
	x = Add(x, l.transformed(phi.after(l.toSelf(phi, entities)), kge.EncoderSelf))
	x = Tanh(l.normalized(DivScalar(x, 3)))
	return x, l.transformed(relations, kge.EncoderRelation)
}

// toSelf returns the messages of entities to themselves, along the relation loop.
func (l layer) toSelf(phi composition, entities *Node) (sum *Node) {
	for _, t := range phi.terms(entities, l.table(kge.EncoderLoop)) {
		sum = plus(sum, t.of(t.entities, BroadcastToShape(t.relations, t.entities.Shape())))
	}
	return sum
}

// normalized returns batch normalization over all entities.
func (l layer) normalized(x *Node) *Node {
	centered := Sub(x, ReduceAndKeep(x, ReduceMean, 0))
	variance := ReduceAndKeep(Square(centered), ReduceMean, 0)
	x = Div(centered, Sqrt(AddScalar(variance, form.NormEpsilon)))
	return Add(Mul(x, l.table(kge.EncoderGamma)), l.table(kge.EncoderBeta))
}

// rgcn returns the entities after a layer of R-GCN. A shared matrix is applied to the sum of all
// messages, each times its relation's coefficient.
func (l layer) rgcn(entities *Node, m *messages) *Node {
	x := l.transformed(entities, kge.EncoderSelf)
	in := entities.Shape().Dim(1)
	for basis := range l.settings.BasisCount() {
		coefficients := Slice(l.table(kge.EncoderCoefficients), AxisRange(), AxisRange(basis, basis+1))
		coefficients = BroadcastToDims(coefficients, coefficients.Shape().Dim(0), in)
		asTails, asHeads := m.sums([]term{{entities, coefficients, products}})
		matrix := func(name string) *Node {
			return Slice(l.table(name), AxisRange(basis*in, (basis+1)*in))
		}
		x = Add(x, product(asTails, matrix(kge.EncoderForwardBases)))
		x = Add(x, product(asHeads, matrix(kge.EncoderReverseBases)))
	}
	if l.number == l.settings.Depth() {
		return x
	}
	return MaxScalar(x, 0)
}
