package completion

import (
	"cmp"
	"context"
	"errors"
	"slices"

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
	for i := range predictions {
		p := &predictions[i]
		hoods := map[hood]*neighborhood{} // of the answers to one query
		for n := range p.Answers {
			q, err := a.resolve(p.Query.answered(p.Answers[n]), 1)
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

// answered returns the query with an answer in place of the missing part.
func (q Query) answered(a eval.Answer) Query {
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

// hood identifies the neighborhood of an entity in a member.
type hood struct {
	member int
	entity int32
}

// reasons returns the training triples that speak most for q.other as an answer to q.
func (a *Answerer) reasons(
	ctx context.Context, q question, count int, hoods map[hood]*neighborhood,
) ([]eval.Reason, error) {
	total := map[datasets.Triple]float64{}
	members := a.predictor.Models()
	for i, m := range members {
		byGiven, byOther := m.NewHop(q.path(), len(m.RelationLabels)).Gradients(q.other)
		for _, end := range []struct {
			entity   int32
			gradient []float64
		}{{q.given, byGiven}, {q.other, byOther}} {
			key := hood{i, end.entity}
			if hoods[key] == nil {
				n, err := newNeighborhood(ctx, m, a.graph.Train, end.entity)
				if err != nil {
					return nil, err
				}
				hoods[key] = n
			}
			n := hoods[key]
			for t, fall := range n.influences(end.gradient) {
				total[n.triples[t]] += fall / float64(len(members))
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
	reasons := make([]eval.Reason, min(count, len(triples)))
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
