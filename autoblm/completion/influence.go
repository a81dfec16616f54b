package completion

import (
	"cmp"
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
	solver  mat.Cholesky // of the curvature, or of the products of slopes if isDual
	isDual  bool
}

// newNeighborhood returns the neighborhood of an entity from its training triples. kept keeps the
// matrices of relations.
func newNeighborhood(
	ctx context.Context, kept *kge.CoreMatrices, m *kge.Model, triples []datasets.Triple, entity int32,
) (*neighborhood, error) {
	n := &neighborhood{triples: triples}
	all := len(n.triples)
	if all == 0 {
		return n, nil
	}
	if all > maxTriples {
		n.triples = make([]datasets.Triple, maxTriples)
		for i := range n.triples {
			n.triples[i] = triples[i*all/maxTriples]
		}
	}
	n.slopes = mat.NewDense(2*len(n.triples), m.Dim, nil)
	n.weights = make([]float64, 2*len(n.triples))
	sample := m.SampleEntities(sampledEntities)
	hopOf := func(q question) kge.Hop { return m.NewHop(kept, q.path(), len(m.RelationLabels)) }
	var workers errgroup.Group
	count := runtime.GOMAXPROCS(0)
	for worker := range count {
		workers.Go(func() error {
			for i := worker; i < len(n.triples); i += count {
				if err := ctx.Err(); err != nil {
					return err
				}
				t := n.triples[i]
				for side, q := range []question{
					{given: t.Head, relation: t.Relation, other: t.Tail},
					{given: t.Tail, relation: t.Relation, other: t.Head, forHeads: true},
				} {
					n.set(2*i+side, hopOf(q), sample, entity, q)
				}
			}
			return nil
		})
	}
	if err := cmp.Or(workers.Wait(), ctx.Err()); err != nil {
		return nil, err
	}
	// With the slopes S and the level l, S(S'S + l)⁻¹ = (SS' + l)⁻¹S. SS' is smaller for few triples.
	transpose, size := blas.Trans, m.Dim
	if 2*len(n.triples) < m.Dim {
		transpose, size, n.isDual = blas.NoTrans, 2*len(n.triples), true
	}
	curvature := mat.NewSymDense(size, nil)
	scale := float64(all) / float64(len(n.triples))
	blas64.Syrk(transpose, scale, n.slopes.RawMatrix(), 0, curvature.RawSymmetric())
	level := damping*curvature.Trace()/float64(m.Dim) + math.SmallestNonzeroFloat32
	for i := range size {
		curvature.SetSym(i, i, curvature.At(i, i)+level)
	}
	if !n.solver.Factorize(curvature) { // not finite
		n.triples = nil
	}
	return n, nil
}

// set fills a row from a question of a triple.
func (n *neighborhood) set(
	row int, hop kge.Hop, sample kge.EntitySample, entity int32, q question,
) {
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

// influences returns the estimated fall of a score without each triple. gradient is the gradient
// of the score with respect to the entity.
func (n *neighborhood) influences(gradient []float64) []float64 {
	falls := make([]float64, len(n.triples))
	if len(falls) == 0 {
		return falls
	}
	var change, solved mat.VecDense
	var err error // no finite solution
	toward := mat.NewVecDense(len(gradient), gradient)
	if n.isDual {
		solved.MulVec(n.slopes, toward)
		err = n.solver.SolveVecTo(&change, &solved)
	} else {
		err = n.solver.SolveVecTo(&solved, toward)
		change.MulVec(n.slopes, &solved)
	}
	if err != nil {
		return falls
	}
	for i := range falls {
		for row := 2 * i; row < 2*i+2; row++ {
			falls[i] += n.weights[row] * change.AtVec(row)
		}
	}
	return falls
}
