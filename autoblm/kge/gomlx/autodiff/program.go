package autodiff

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/encoder"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/masks"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// recipe holds the settings that determine the operations of a step; all others are data. It is
// comparable.
type recipe struct {
	model
	candidates
	lossFunction          kge.Loss
	dropout, inputDropout bool
	norms, products       bool // penalties
	orthogonality         bool // of models with cores
	ivr                   bool
	relationPrediction    bool
	taught                bool // by a teacher
	reads                 bool // paths with known entities, see reading
	n3Block               int  // from 1
	chunks                int  // of a structure, 1 without one
	encoder               encoder.Encoder
}

func (t *trainee) recipe() recipe {
	s, w := t.settings, t.member.Weights
	m := modelOf(t.Parameters)
	m.bfloat16 = s.Precision == kge.Bfloat16
	return recipe{
		model: m, candidates: t.candidates, lossFunction: s.Loss,
		dropout: s.Dropout > 0, inputDropout: s.InputDropout > 0,
		norms: w.L2+w.N3+w.EntityL2+w.EntityN3+w.RelationL2+w.RelationN3 > 0, products: w.Products > 0,
		orthogonality: w.Orthogonality > 0 && m.form.Partitions() > 0,
		ivr:           w.HasIVR(), relationPrediction: w.RelationPrediction > 0, taught: s.HasTeacher(),
		n3Block: max(1, w.N3Block), chunks: max(1, t.Structure.K()),
		encoder: t.encoder, reads: s.WalkHops > 0,
	}
}

// isPenalized reports whether the loss has terms of the rows or relations of triples.
func (p recipe) isPenalized() bool {
	return p.norms || p.products || p.orthogonality || p.ivr || p.relationPrediction
}

// asked holds the questions of a part.
type asked struct {
	*pass
	tables
	in
	paths
	anchors *Node // [q, d]
	states  *Node // [q, rows, d], with dropped coordinates
}

// loss returns the loss of a part, and new moving averages; see [averaging].
func (p recipe) loss(numbers, edges []*Node, operators *Node, in in) (loss, averages *Node) {
	g := in[inAnchors].Graph()
	place := Iota(g, shapes.Make(dtypes.Int32, in[inAnchors].Shape().Dim(0)), 0)
	used := ConvertDType(LessThan(place, in.number(inCount)), dtypes.Float32)
	training := pass{training: true, used: used, key: in.key(keyOfLayers)}
	numbers = p.encoder.Encode(numbers, edges, training.drop)
	c, t := p.embeddings(numbers, operators, training)
	a := asked{pass: c, tables: t, in: in,
		paths: paths{relations: in[inRelations], signs: in[inSigns], ways: p.ways()}}
	if p.reads {
		a.passed = in[inPassed]
	}
	a.anchors = lookUp(t.entities, in[inAnchors])
	start := a.anchors
	c.asked = &a
	var dropsInputs, dropsQueries bool
	if d, ok := p.graphs().(dropping); ok {
		dropsInputs, dropsQueries = d.drops()
	}
	if p.inputDropout && !dropsInputs {
		start = a.dropCoordinates(start, keyOfInputs, scalarInputDropout)
	}
	whole := walk(c, t, start, a.paths)
	a.states = whole
	if p.dropout && !dropsQueries {
		a.states = InsertAxes(a.dropCoordinates(Squeeze(whole, 1), keyOfQueries, scalarDropout), 1)
	}
	loss = p.entropy(a)
	if c.more != nil {
		loss = Add(loss, c.more)
	}
	if p.norms {
		loss = Add(loss, p.penalizeNorms(a))
	}
	if p.products {
		if p.inputDropout {
			whole = walk(c, t, a.anchors, a.paths)
		}
		loss = Add(loss, p.penalizeProducts(a, whole))
	}
	if p.orthogonality {
		loss = Add(loss, p.penalizeOrthogonality(a))
	}
	if p.ivr {
		loss = Add(loss, p.penalizeIntermediates(a))
	}
	if p.relationPrediction {
		loss = Add(loss, p.predictRelations(a))
	}
	return loss, c.averages
}

// entropy returns the loss of the answers.
func (p recipe) entropy(a asked) *Node {
	if p.lossFunction == kge.BCE {
		return a.binary()
	}
	switch p.candidates {
	case sharedNegatives, ownNegatives:
		return a.negativeSampling()
	}
	loss := a.softmax(p.candidates)
	if p.taught {
		share := a.scalar(scalarTeacherWeight)
		loss = Add(Mul(loss, OneMinus(share)), Mul(a.learnFromTeacher(), share))
	}
	return loss
}

// dropCoordinates drops coordinates of x [q, d] as package dropout says.
func (a asked) dropCoordinates(x *Node, key, share int) *Node {
	dim := x.Shape().Dim(1)
	coordinate := Iota(x.Graph(), shapes.Make(dtypes.Uint32, x.Shape().Dimensions...), 1)
	number := ConvertDType(InsertAxes(a.in[inNumbers], -1), dtypes.Uint32)
	place := Add(MulScalar(number, uint32(dim)), coordinate)
	return Mul(x, masks.Factors(place, a.in.key(key), a.in.threshold(key), a.scalar(share)))
}

// pairs returns the scores of entities [n] for the questions with the given indices [n].
func (a asked) pairs(entities, questions *Node) *Node {
	rows := lookUp(a.tables.entities, entities)
	scores := a.graphs().scores(a.pass,
		InsertAxes(Gather(a.states, InsertAxes(questions, -1)), 1), InsertAxes(rows, 1))
	return Reshape(scores, -1)
}
