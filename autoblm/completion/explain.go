package completion

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
)

// ErrNoTrain means that answers cannot be explained without training triples.
var ErrNoTrain = errors.New("explain the answers: the training triples are missing")

// Explain sets, in the answers of predictions, the training triples that speak most for each, at
// most count. These are triples that share an entity with the answered triple. Their influence
// approximates how far the score of the answer would fall if the model were trained without the
// triple: it assumes that only the embedding of the shared entity changes, by one Newton step. That
// is a first-order influence function (Koh & Liang, 2017) as CRIAGE has it (Pezeshkpour et al.,
// 2019). The influence on an ensemble is the mean over its members, each with its own score.
func (a *Answerer) Explain(ctx context.Context, predictions []Prediction, count int) error {
	if a.graph == nil || len(a.graph.Train) == 0 {
		return ErrNoTrain
	}
	answers := 0
	for _, p := range predictions {
		answers += len(p.Answers)
	}
	for i := range predictions {
		p := &predictions[i]
		hoods := neighborhoods{
			a: a, answers: answers, isOtherKept: p.Query.Relation == "",
			kept: map[hood]*neighborhood{},
		}
		for n := range p.Answers {
			q, err := a.resolve(p.Query.Answered(p.Answers[n]), answers, new(mostSuggestions))
			if err != nil {
				return err
			}
			if p.Query.Head == "" {
				q.given, q.other, q.forHeads = q.other, q.given, true
			}
			if p.Answers[n].Because, err = a.reasons(ctx, q, count, hoods); err != nil {
				return err
			}
		}
	}
	return nil
}

// Answered returns the query with an answer in place of the missing part.
func (q Query) Answered(a eval.Answer) Query {
	switch {
	case q.Head == "":
		q.Head = a.Entity
	case q.Relation == "":
		q.Relation = a.Relation
	default:
		q.Tail = a.Entity
	}
	return q
}

// neighborhoods finds those of the entities in a query and its answers. It keeps only those of the
// query, which all answers need, because one takes up to 160 MB at dimension 512.
type neighborhoods struct {
	a           *Answerer
	answers     int  // number of answers to explain
	isOtherKept bool // the query has both entities
	kept        map[hood]*neighborhood
}

// hood identifies the neighborhood of an entity in a member.
type hood struct {
	member *kge.Model
	entity int32
}

// of returns the neighborhood of one end of a question.
func (n neighborhoods) of(
	ctx context.Context, m *kge.Model, entity int32, isKept bool,
) (*neighborhood, error) {
	key := hood{m, entity}
	if found := n.kept[key]; found != nil {
		return found, nil
	}
	triples, err := n.a.trainOf(ctx, entity, n.answers)
	if err != nil {
		return nil, err
	}
	found, err := newNeighborhood(ctx, &n.a.matrices, m, triples, entity)
	if err == nil && isKept {
		n.kept[key] = found
	}
	return found, err
}

// trainOf returns the training triples of an entity. For a few answers it searches all instead of
// building an index.
func (a *Answerer) trainOf(
	ctx context.Context, entity int32, answers int,
) (triples []datasets.Triple, err error) {
	const few = 4
	if answers > few || a.isPrepared.Load() {
		return a.train().Facts(entity), ctx.Err()
	}
	const together = 1 << 20 // triples
	for part := range slices.Chunk(a.graph.Train, together) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, t := range part {
			if t.Head == entity || t.Tail == entity {
				triples = append(triples, t)
			}
		}
	}
	return triples, nil
}

// reasons returns the training triples that speak most for q.other as an answer to q.
func (a *Answerer) reasons(
	ctx context.Context, q question, count int, hoods neighborhoods,
) ([]eval.Reason, error) {
	total := map[datasets.Triple]float64{}
	members, weights := a.predictor.Models(), a.predictor.weights(q.relation)
	for i, m := range members {
		weight := memberWeight(weights, i, len(members))
		hop := m.NewHop(&a.matrices, q.path(), len(m.RelationLabels))
		byGiven, byOther := hop.Gradients(q.other)
		for _, end := range []struct {
			entity   int32
			gradient []float64
			isKept   bool
		}{{q.given, byGiven, true}, {q.other, byOther, hoods.isOtherKept}} {
			n, err := hoods.of(ctx, m, end.entity, end.isKept)
			if err != nil {
				return nil, err
			}
			for t, fall := range n.influences(end.gradient) {
				total[n.triples[t]] += fall * weight
			}
		}
	}
	delete(total, q.triple())
	return a.strongest(total, count), nil
}

// triple returns the triple of a question with its answer.
func (q question) triple() datasets.Triple {
	if q.forHeads {
		return datasets.Triple{Head: q.other, Relation: q.relation, Tail: q.given}
	}
	return datasets.Triple{Head: q.given, Relation: q.relation, Tail: q.other}
}

// strongest returns the triples with the largest positive influences.
func (a *Answerer) strongest(total map[datasets.Triple]float64, count int) []eval.Reason {
	var triples []datasets.Triple
	for t, influence := range total {
		if influence > 0 {
			triples = append(triples, t)
		}
	}
	slices.SortFunc(triples, func(x, y datasets.Triple) int {
		return cmp.Or(cmp.Compare(total[y], total[x]), cmp.Compare(x.Head, y.Head),
			cmp.Compare(x.Relation, y.Relation), cmp.Compare(x.Tail, y.Tail))
	})
	reasons := make([]eval.Reason, max(0, min(count, len(triples))))
	for i := range reasons {
		t := triples[i]
		reasons[i] = eval.Reason{
			Head:      a.model.EntityLabels[t.Head],
			Relation:  a.model.RelationLabels[t.Relation],
			Tail:      a.model.EntityLabels[t.Tail],
			Influence: total[t],
		}
	}
	return reasons
}
