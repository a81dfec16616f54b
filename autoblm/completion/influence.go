package completion

import (
	"context"
	"math"
	"runtime"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

const (
	sampledEntities = 256   // of the softmax
	maxTriples      = 20000 // of an entity; more are sampled, which bounds time and memory
	damping         = 1.0   // of the curvature, relative to the mean of its diagonal
)

// neighborhood has the training triples of an entity, and how they pull at its embedding x.
//
// The loss of a triple is that of its two questions, -log p with the softmax p of the answer among
// the entities, here a sample of them. With g, the gradient of the answer's score with respect to x,
// the gradient of a question's loss is about -(1-p)g. The curvature is about (1-p)gg', the sum of the
// Gauss-Newton term p(1-p)gg' and of the squared gradient, without which the Newton step of an
// unlikely answer would be far too long. Left out are the gradients of wrong answers with respect to
// the anchor of a question, and penalties, in whose place the damping is.
type neighborhood struct {
	triples []datasets.Triple
	// Two rows per triple, one for each question: √(1-p)g, and √(1-p).
	slopes  *mat.Dense
	weights []float64
	solver  mat.Cholesky
}

// newNeighborhood returns the neighborhood of an entity in training triples.
func newNeighborhood(
	ctx context.Context, m *kge.Model, train []datasets.Triple, entity int32,
) (*neighborhood, error) {
	n := &neighborhood{}
	for _, t := range train {
		if t.Head == entity || t.Tail == entity {
			n.triples = append(n.triples, t)
		}
	}
	all := len(n.triples)
	if all == 0 {
		return n, nil
	}
	if all > maxTriples {
		for i := range maxTriples {
			n.triples[i] = n.triples[i*all/maxTriples]
		}
		n.triples = n.triples[:maxTriples]
	}
	n.slopes = mat.NewDense(2*len(n.triples), m.Dim, nil)
	n.weights = make([]float64, 2*len(n.triples))
	sample := m.SampleEntities(sampledEntities)
	var workers errgroup.Group
	count := runtime.GOMAXPROCS(0)
	for worker := range count {
		workers.Go(func() error {
			for i := worker; i < len(n.triples); i += count {
				if err := ctx.Err(); err != nil {
					return err
				}
				t := n.triples[i]
				n.set(2*i, m, sample, entity, question{given: t.Head, relation: t.Relation, other: t.Tail})
				n.set(2*i+1, m, sample, entity,
					question{given: t.Tail, relation: t.Relation, other: t.Head, forHeads: true})
			}
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	curvature := mat.NewSymDense(m.Dim, nil)
	scale := float64(all) / float64(len(n.triples))
	blas64.Syrk(blas.Trans, scale, n.slopes.RawMatrix(), 0, curvature.RawSymmetric())
	level := damping*curvature.Trace()/float64(m.Dim) + math.SmallestNonzeroFloat32
	for i := range m.Dim {
		curvature.SetSym(i, i, curvature.At(i, i)+level)
	}
	if !n.solver.Factorize(curvature) { // not finite
		n.triples = nil
	}
	return n, nil
}

// set fills a row from a question of a triple.
func (n *neighborhood) set(
	row int, m *kge.Model, sample kge.EntitySample, entity int32, q question,
) {
	hop := m.NewHop(q.path(), len(m.RelationLabels))
	weight := math.Sqrt(1 - hop.Share(q.other, sample))
	n.weights[row] = weight
	byGiven, byOther := hop.Gradients(q.other)
	slope := n.slopes.RawRowView(row)
	for i := range slope {
		if q.given == entity {
			slope[i] += weight * byGiven[i]
		}
		if q.other == entity {
			slope[i] += weight * byOther[i]
		}
	}
}

// influences returns the estimated fall of a score without each triple. gradient is that of the
// score with respect to the entity.
func (n *neighborhood) influences(gradient []float64) []float64 {
	falls := make([]float64, len(n.triples))
	var direction, change mat.VecDense
	if len(falls) == 0 ||
		n.solver.SolveVecTo(&direction, mat.NewVecDense(len(gradient), gradient)) != nil {
		return falls // none, or no finite solution
	}
	change.MulVec(n.slopes, &direction)
	for i := range falls {
		for row := 2 * i; row < 2*i+2; row++ {
			falls[i] += n.weights[row] * change.AtVec(row)
		}
	}
	return falls
}
