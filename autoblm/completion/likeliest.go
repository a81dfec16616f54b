package completion

import (
	"cmp"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"golang.org/x/sync/errgroup"
)

// Fact is a triple that the graph lacks.
type Fact struct {
	Head     string  `json:"head"`
	Relation string  `json:"relation"`
	Tail     string  `json:"tail"`
	Rank     int     `json:"rank"`
	Score    float64 `json:"score"`
	// Share is the tail's share of the softmax over the candidates for the head and the relation.
	Share float64 `json:"share"`
}

// Likeliest returns the top missing triples of the graph, or of one of its relations, by the share
// of the tail: scores of different heads and relations do not compare. o.Top must be positive. The
// heads are of the relation's kind, or all entities with AnyKind; AnyKind and Among select
// the tails as in [Answerer.Predict]. Known triples are left out, but they count in the softmax.
// Without a relation, those that give each of their heads one tail are left out: they are complete.
//
// With an engine, float32 shares and their error bound select the triples that may be among the
// top, whose shares are then computed in float64.
func (a *Answerer) Likeliest(
	ctx context.Context, relation string, o PredictOptions,
) ([]Fact, error) {
	switch {
	case o.Top < 1:
		return nil, errors.New("the number of triples is missing")
	case a.graph == nil:
		return nil, errors.New("there is no graph, so no triple is missing")
	}
	among, err := a.among(o.Among)
	if err != nil {
		return nil, err
	}
	relations := []int32{}
	if relation != "" {
		id, err := relationID(a.model, relation)
		if err != nil {
			return nil, err
		}
		relations = append(relations, id)
	} else {
		for r := range a.model.RelationLabels {
			relations = append(relations, int32(r))
		}
	}
	found := &collector{top: o.Top, limit: math.Inf(-1)}
	for _, r := range relations {
		if relation == "" && a.isFunctional(r) {
			continue
		}
		if err := a.collect(ctx, r, o, among, found); err != nil {
			return nil, err
		}
	}
	found.cut()
	facts, err := a.exactFacts(ctx, found.list, o, among)
	return facts[:min(o.Top, len(facts))], err
}

// isFunctional reports whether each head of a relation has one tail in the facts.
func (a *Answerer) isFunctional(relation int32) bool {
	tails := map[int32]int32{}
	for t := range a.ends.Facts(relation) {
		if tail, found := tails[t.Head]; found && tail != t.Tail {
			return false
		}
		tails[t.Head] = t.Tail
	}
	return true
}

// likely is a triple whose logarithm of the share is within a margin of log.
type likely struct {
	question
	answer      int32
	log, margin float64
}

// collector keeps the triples that may be among the top.
type collector struct {
	top   int
	mu    sync.Mutex
	list  []likely
	limit float64 // the top triples have logarithms of at least this
	full  int     // length at which to cut
}

// current returns the limit.
func (c *collector) current() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limit
}

// add adds triples.
func (c *collector) add(triples []likely) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, triples...)
	if len(c.list) >= max(c.full, 4*c.top) {
		c.cut()
	}
}

// cut removes the triples that cannot be among the top.
func (c *collector) cut() {
	if len(c.list) > c.top {
		low := func(l likely) float64 { return l.log - l.margin }
		slices.SortFunc(c.list, func(x, y likely) int { return cmp.Compare(low(y), low(x)) })
		c.limit = low(c.list[c.top-1])
		c.list = slices.DeleteFunc(c.list, func(l likely) bool { return l.log+l.margin < c.limit })
	}
	c.full = 2 * len(c.list)
}

// collect adds the likely triples of a relation.
func (a *Answerer) collect(
	ctx context.Context, relation int32, o PredictOptions, among []int32, found *collector,
) error {
	c := a.candidates(end{relation, false}, o, among)
	heads := a.candidates(end{relation, true}, PredictOptions{AnyKind: o.AnyKind}, nil)
	if c.count(a.model) == 0 || !o.AnyKind && heads.ids == nil {
		return nil
	}
	questions := make([]question, heads.count(a.model))
	for i := range questions {
		questions[i] = question{given: heads.id(i), relation: relation}
	}
	lost := float64(c.count(a.model)) * math.Exp(-omitted)
	known := a.graph.Known()
	return a.eachScores(ctx, c, questions, func(i int, scores []float32) {
		q := questions[i]
		l := lookup{q: q, c: c, known: known.Tails(q.given, relation)}
		margin := math.Inf(1)
		if scores != nil {
			margin = 2*a.scores.bound(q.path()) + lost
		}
		if margin > 1 { // float32 selects too little, or nothing
			found.add(a.exactlyLikely(&l, found.current()))
			return
		}
		limit := found.current() - margin
		logSum, ok := float32LogSum(scores, maxOf(scores), math.Exp(-limit))
		if !ok {
			return // all shares are below the limit
		}
		limit += logSum
		var triples []likely
		for n, s := range scores {
			if id := c.id(n); float64(s) >= limit && l.isAllowed(id) {
				triples = append(triples, likely{q, id, float64(s) - logSum, margin})
			}
		}
		found.add(triples)
	})
}

// exactlyLikely returns the triples for a question with logarithms of at least limit.
func (a *Answerer) exactlyLikely(l *lookup, limit float64) (triples []likely) {
	share := a.logShares(l.c, l.q)
	for i := range l.c.count(a.model) {
		id := l.c.id(i)
		if log := share(id); log >= limit && l.isAllowed(id) {
			triples = append(triples, likely{question: l.q, answer: id, log: log})
		}
	}
	return triples
}

// logShares returns the logarithm of the share of a candidate in float64.
func (a *Answerer) logShares(c *candidates, q question) func(id int32) float64 {
	weights := a.predictor.weights(q.relation)
	score := meanScores(a.predictor.Models(), weights, func(m *kge.Model) func(id int32) float64 {
		return m.ScorerWith(&a.matrices, q.path(), len(m.RelationLabels)) // faster than the definition
	})
	logSum := a.logSum(c, nil, score)
	return func(id int32) float64 { return logShare(logSum, score(id), true) }
}

// exactFacts returns triples with shares in float64, best first.
func (a *Answerer) exactFacts(
	ctx context.Context, triples []likely, o PredictOptions, among []int32,
) ([]Fact, error) {
	byQuestion := map[question][]int{}
	for i, t := range triples {
		byQuestion[t.question] = append(byQuestion[t.question], i)
	}
	facts := make([]Fact, len(triples))
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for q, indices := range byQuestion {
		workers.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			c := a.candidates(end{q.relation, false}, o, among)
			share, score := a.logShares(c, q), a.exactScores(q)
			for _, i := range indices {
				t := &triples[i]
				t.log = share(t.answer)
				facts[i] = Fact{
					Head: a.model.EntityLabels[q.given], Relation: a.model.RelationLabels[q.relation],
					Tail:  a.model.EntityLabels[t.answer],
					Score: score(t.answer), Share: math.Exp(t.log),
				}
			}
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	order := make([]int, len(triples))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		x, y := triples[i], triples[j]
		return cmp.Or(cmp.Compare(y.log, x.log), cmp.Compare(x.relation, y.relation),
			cmp.Compare(x.given, y.given), cmp.Compare(x.answer, y.answer))
	})
	sorted := make([]Fact, len(facts))
	for rank, i := range order {
		sorted[rank] = facts[i]
		sorted[rank].Rank = rank + 1
	}
	return sorted, nil
}
