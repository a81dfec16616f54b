package kge

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"gonum.org/v1/gonum/floats"
)

// Hop scores the answers to a question of one hop, with the definition of the form in float64, and
// differentiates the scores. It is safe for concurrent use.
type Hop struct {
	model      Parameters
	rows       [][]float64
	matrix     []float64 // of the relation, with cores
	transposed bool
	anchor     []float64
	state      []float64
}

// NewHop returns the hop of a question. relations is the number of relations without reverses. kept
// keeps the matrices of relations for further hops, unless it is nil.
func (p Parameters) NewHop(kept *CoreMatrices, q Question, relations int) Hop {
	h := Hop{model: p}
	h.rows, h.transposed = p.relationRows(q.Path[0], relations)
	if p.Form.Partitions() > 0 {
		h.matrix = kept.of(p, q.Path[0], relations, h.rows[0])
	}
	start := make([]float64, p.Dim*p.Form.Capabilities().StateRows)
	h.anchor = widen(p.Entity(q.Anchor))
	copy(start, h.anchor)
	h.state = h.move(start, h.transposed)
	return h
}

// move returns a state after the hop.
func (h Hop) move(state []float64, transposed bool) []float64 {
	p := h.model
	if p.Structure.K() > 0 {
		return p.hop(p.moved(state, h.rows, transposed), h.rows[0], transposed, false)
	}
	if n, ok := p.Form.Neural(); ok {
		return n.Hops([][]float64{state}, h.rows[:1], transposed, p.More)[0]
	}
	if p.Form.Partitions() > 0 {
		return p.coreHop(state, h.matrix, transposed)
	}
	return p.Form.Spec().DefineHop(p.Structure, state, h.rows, transposed)
}

// Score returns the score of an answer.
func (h Hop) Score(answer int32) float64 {
	return h.model.Form.Spec().DefineScore(h.state, widen(h.model.Entity(answer)))
}

// EntitySample has evenly spaced entities of a model.
type EntitySample struct {
	ids  []int32
	rows [][]float64
	each float64 // number of entities for which each stands
}

// SampleEntities returns at most a number of entities.
func (p Parameters) SampleEntities(most int) (s EntitySample) {
	entities := len(p.Entities) / p.Dim
	n := min(entities, most)
	for i := range n {
		id := int32(i * entities / n)
		s.ids, s.rows = append(s.ids, id), append(s.rows, widen(p.Entity(id)))
	}
	s.each = float64(entities) / float64(n)
	return s
}

// Share estimates an answer's share of the softmax over all entities from a sample of them.
func (h Hop) Share(answer int32, sample EntitySample) float64 {
	score, others, define := h.Score(answer), 0.0, h.model.Form.Spec().DefineScore
	if h.model.Form.Capabilities().Products {
		define = floats.Dot // faster
	}
	for i, id := range sample.ids {
		if id != answer {
			others += sample.each * math.Exp(min(700, define(h.state, sample.rows[i])-score))
		}
	}
	return 1 / (1 + others)
}

// Gradients returns the gradients of an answer's score with respect to the embeddings of the
// question's anchor and of the answer.
func (h Hop) Gradients(answer int32) (byAnchor, byAnswer []float64) {
	spec := h.model.Form.Spec()
	byState, byAnswer := spec.DefineGradients(h.state, widen(h.model.Entity(answer)))
	if h.matrix != nil {
		return h.model.coreHopGradient(byState, h.matrix, h.transposed), byAnswer
	}
	if n, ok := h.model.Form.Neural(); ok {
		return n.AnchorGradient(h.anchor, h.rows[0], h.transposed, h.model.More, byState), byAnswer
	}
	if f, ok := spec.(form.AnchorDifferentiator); ok {
		return f.DefineAnchorGradient(h.anchor, h.rows, h.transposed, byState), byAnswer
	}
	// Other hops are affine in the anchor. The same relation in the other direction has the transpose of
	// its matrix, and maybe another constant.
	gradient := make([]float64, len(h.state))
	copy(gradient, byState)
	byAnchor = h.move(gradient, !h.transposed)[:h.model.Dim]
	if !spec.Capabilities().Products {
		floats.Sub(byAnchor, h.move(make([]float64, len(h.state)), !h.transposed)[:h.model.Dim])
	}
	return byAnchor, byAnswer
}
