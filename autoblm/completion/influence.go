package completion

import (
	"context"
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	sampledEntities = 256 // of the softmax
	damping         = 1.0 // of the curvature, relative to the mean of its diagonal
)

// neighborhood has the training triples of an entity, and how they pull at its embedding x.
//
// The loss of a triple is that of its two questions, -log p with the softmax p of the answer among
// the entities. Its gradient is about -(1-p)g, where g is the gradient of the answer's score with
// respect to x, and its Gauss-Newton curvature about p(1-p)gg'. Left out are the pull of wrong
// answers on the anchor of a question, and penalties, which the damping stands for.
type neighborhood struct {
	triples []datasets.Triple
	pulls   []float64 // rows of d: minus the gradient of the loss of each triple
	solver  mat.Cholesky
	dim     int
}

// newNeighborhood returns the neighborhood of an entity in the triples of a graph.
func newNeighborhood(
	ctx context.Context, m *kge.Model, triples []datasets.Triple, entity int32,
) (*neighborhood, error) {
	n := &neighborhood{dim: m.Dim}
	for _, t := range triples {
		if t.Head == entity || t.Tail == entity {
			n.triples = append(n.triples, t)
		}
	}
	n.pulls = make([]float64, len(n.triples)*m.Dim)
	curvature := mat.NewSymDense(m.Dim, nil)
	for i, t := range n.triples {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, q := range []question{
			{given: t.Head, relation: t.Relation, other: t.Tail},
			{given: t.Tail, relation: t.Relation, other: t.Head, forHeads: true},
		} {
			n.add(m, q, entity, i, curvature)
		}
	}
	trace := curvature.Trace()/float64(m.Dim)*damping + math.SmallestNonzeroFloat32
	for i := range m.Dim {
		curvature.SetSym(i, i, curvature.At(i, i)+trace)
	}
	n.solver.Factorize(curvature)
	return n, nil
}

// add adds the loss of a question of a triple.
func (n *neighborhood) add(
	m *kge.Model, q question, entity int32, triple int, curvature *mat.SymDense,
) {
	hop := m.NewHop(q.path(), len(m.RelationLabels))
	p := hop.Share(q.other, sampledEntities)
	byGiven, byOther := hop.Gradients(q.other)
	for _, end := range []struct {
		entity   int32
		gradient []float64
	}{{q.given, byGiven}, {q.other, byOther}} {
		if end.entity != entity {
			continue
		}
		floats.AddScaled(n.pulls[triple*n.dim:][:n.dim], 1-p, end.gradient)
		curvature.SymRankOne(curvature, p*(1-p), mat.NewVecDense(n.dim, end.gradient))
	}
}

// influences returns the estimated fall of a score without each triple. gradient is that of the
// score with respect to the entity.
func (n *neighborhood) influences(gradient []float64) []float64 {
	falls := make([]float64, len(n.triples))
	var direction mat.VecDense
	if n.solver.SolveVecTo(&direction, mat.NewVecDense(n.dim, gradient)) != nil {
		return falls // ill-conditioned
	}
	for i := range falls {
		falls[i] = floats.Dot(direction.RawVector().Data, n.pulls[i*n.dim:][:n.dim])
	}
	return falls
}
