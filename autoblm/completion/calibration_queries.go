package completion

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

// heldOut scores the queries of held-out triples as predict does.
type heldOut struct {
	answerer *Answerer
	facts    *datasets.Graph // that are no answers
	known    *datasets.Known // the facts, from the call of each on
	truth    *datasets.Known
	queries  []question // without repetitions, in random order
}

// candidate is a candidate answer to a query.
type candidate struct {
	evidence float64 // see [evidence]
	isFact   bool
}

// newHeldOut prepares the queries of truth, which is a split of g: the tails of its heads and
// relations, and the heads of its relations and tails. Candidates are the entities of the right
// kind in train, without the facts of train and of the other split, as in filtered ranks. The
// caller closes the answerer.
func newHeldOut(
	p Predictor, engine kge.Engine, g *datasets.Graph, truth, other []datasets.Triple,
) (*heldOut, error) {
	a, err := NewAnswerer(p, trainOf(g), engine)
	if err != nil {
		return nil, err
	}
	h := &heldOut{
		answerer: a, truth: (&datasets.Graph{Train: truth}).Known(),
		facts: &datasets.Graph{Entities: g.Entities, Train: g.Train, Valid: other},
	}
	for _, t := range truth {
		h.queries = append(h.queries, question{given: t.Head, relation: t.Relation},
			question{given: t.Tail, relation: t.Relation, forHeads: true})
	}
	slices.SortFunc(h.queries, func(x, y question) int {
		return cmp.Or(cmp.Compare(x.relation, y.relation), cmp.Compare(x.given, y.given),
			cmp.Compare(sideOf(x), sideOf(y)))
	})
	h.queries = slices.Compact(h.queries)
	random := rand.New(rand.NewPCG(1, 0x63616c6962)) // the second number separates uses of a seed
	random.Shuffle(len(h.queries), func(i, j int) {
		h.queries[i], h.queries[j] = h.queries[j], h.queries[i]
	})
	return h, nil
}

// sideOf returns 0 for a question about tails and 1 for one about heads.
func sideOf(q question) int {
	if q.forHeads {
		return 1
	}
	return 0
}

// maxWork limits the queries of held-out triples: the products and exponentials for all candidates
// take about two seconds on one core.
const maxWork = 6e9

// On graphs where so little work allows only a few, these numbers of queries, and of true and of
// false triples, are used all the same.
const (
	minQueries = 300
	minJudged  = 100
)

// workPerCandidate returns the work for one candidate of a query, in products.
func (a *Answerer) workPerCandidate() (products float64) {
	const exponential = 100 // products that take as long
	for _, m := range a.predictor.Models() {
		products += float64(m.Dim + exponential)
	}
	if a.scores == nil { // scores in float64
		products *= 8
	}
	return products
}

// limit keeps the first queries within a limit of work, but at least minQueries.
func (h *heldOut) limit(work float64) {
	for i, q := range h.queries {
		c := h.answerer.candidates(q.end(), PredictOptions{}, nil)
		work -= float64(c.count(h.answerer.model)) * h.answerer.workPerCandidate()
		if work < 0 && i >= minQueries {
			h.queries = h.queries[:i]
			return
		}
	}
}

// end returns the end of the relation where the answers are.
func (q question) end() end { return end{q.relation, q.forHeads} }

// each calls visit with the candidates of each query, one at a time in any order. They are valid
// until it returns.
func (h *heldOut) each(
	ctx context.Context, visit func(query int, candidates []candidate),
) error {
	byEnd := map[end][]int{}
	var asked []datasets.Triple // the other end does not matter
	for i, q := range h.queries {
		byEnd[q.end()] = append(byEnd[q.end()], i)
		asked = append(asked, datasets.Triple{Head: q.given, Relation: q.relation, Tail: q.given})
	}
	h.known = h.facts.KnownOf(asked)
	var lock sync.Mutex
	pool := sync.Pool{New: func() any { return new([]candidate) }}
	for e, indices := range byEnd {
		c := h.answerer.candidates(e, PredictOptions{}, nil)
		questions := make([]question, len(indices))
		for n, i := range indices {
			questions[n] = h.queries[i]
		}
		err := h.answerer.eachScores(ctx, c, questions, func(n int, scores []float32) {
			list := pool.Get().(*[]candidate)
			*list = h.candidates((*list)[:0], questions[n], c, scores)
			lock.Lock()
			visit(indices[n], *list)
			lock.Unlock()
			pool.Put(list)
		})
		if err != nil {
			return err
		}
		h.answerer.forget(c)
	}
	return nil
}

// candidates appends the candidates of a query to a list.
func (h *heldOut) candidates(
	list []candidate, q question, c *candidates, scores []float32,
) []candidate {
	known, truth := h.known.Tails(q.given, q.relation), h.truth.Tails(q.given, q.relation)
	if q.forHeads {
		known, truth = h.known.Heads(q.relation, q.given), h.truth.Heads(q.relation, q.given)
	}
	exact := h.answerer.exactScores(q)
	zero := h.answerer.logSum(c, scores, exact) - math.Log(float64(1+len(known)))
	list = slices.Grow(list, c.count(h.answerer.model))
	for i := range c.count(h.answerer.model) {
		id := c.id(i)
		score := math.NaN()
		if scores != nil {
			score = float64(scores[i])
		}
		if math.IsNaN(score) || math.IsInf(score, 0) { // without float32, or beyond it
			score = exact(id)
		}
		for len(known) > 0 && known[0] < id {
			known = known[1:]
		}
		for len(truth) > 0 && truth[0] < id {
			truth = truth[1:]
		}
		isKnown := len(known) > 0 && known[0] == id
		if isKnown || c.noLoops && id == q.given {
			continue
		}
		isFact := len(truth) > 0 && truth[0] == id
		list = append(list, candidate{score - zero, isFact})
	}
	return list
}
