package completion

import (
	"context"
	"runtime"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/labels"
	"golang.org/x/sync/errgroup"
)

// GivenEvaluation holds the metrics of ranks among the negatives that a benchmark gives.
type GivenEvaluation struct {
	Evaluation
	// Unknown is the number of negatives that the model lacks. They are left out.
	Unknown int `json:"unknown,omitempty"`
}

// RankGiven ranks the true ends of triples of a split of g among the negatives that the data set
// gives, as OGB's Evaluator does: known answers count, and equal scores count as [eval.Realistic]
// ties. It ranks an [eval.Sample] of the triples that the model knows; 0 ranks all. It returns the
// triples, with the ids of the model, and no ranks if there are no negatives. Scores are in float64.
func RankGiven(
	ctx context.Context, p Predictor, g *datasets.Graph, split string, sample int,
) (triples []datasets.Triple, ranks []eval.Ranked, unknown int, err error) {
	negatives, err := g.Negatives(split)
	if negatives == nil || err != nil {
		return nil, nil, 0, err
	}
	defer negatives.Close()
	m := p.Models()[0]
	for i, m := range p.Models() {
		if err := checkFinite(i, m); err != nil {
			return nil, nil, 0, err
		}
	}
	entity, relation := func(id int32) int32 { return id }, func(id int32) int32 { return id }
	if !m.HasIDs(g.Entities, g.Relations) {
		ids := labels.NewTranslation(g.Name, g.Entities, g.Relations, m.EntityLabels, m.RelationLabels)
		entity, relation = ids.Entity, ids.Relation
	}
	all, err := g.Split(split)
	if err != nil {
		return nil, nil, 0, err
	}
	var indices []int // of the triples that the model knows
	for i, t := range all {
		t = datasets.Triple{
			Head: entity(t.Head), Relation: relation(t.Relation), Tail: entity(t.Tail),
		}
		if min(t.Head, t.Relation, t.Tail) >= 0 {
			indices, triples = append(indices, i), append(triples, t)
		}
	}
	indices, triples = eval.Sample(indices, sample), eval.Sample(triples, sample)
	ranks = make([]eval.Ranked, len(triples))
	var kept kge.CoreMatrices
	const together = 256 // triples whose negatives are in memory
	for from := 0; from < len(triples); from += together {
		if err := ctx.Err(); err != nil {
			return nil, nil, 0, err
		}
		var workers errgroup.Group
		workers.SetLimit(runtime.GOMAXPROCS(0))
		for i := from; i < min(from+together, len(triples)); i++ {
			heads, tails, err := negatives.Of(indices[i])
			if err != nil {
				_ = workers.Wait() // they return no error
				return nil, nil, 0, err
			}
			for _, side := range [][]int32{heads, tails} {
				unknown += translateKnown(side, entity)
			}
			workers.Go(func() error {
				t := triples[i]
				forTail := question{given: t.Head, relation: t.Relation, other: t.Tail}
				forHead := question{given: t.Tail, relation: t.Relation, forHeads: true, other: t.Head}
				ranks[i].Tail = rankGiven(p.scores(forTail, &kept), t.Tail, tails)
				ranks[i].Head = rankGiven(p.scores(forHead, &kept), t.Head, heads)
				return nil
			})
		}
		if err := workers.Wait(); err != nil {
			return nil, nil, 0, err
		}
	}
	return triples, ranks, unknown, nil
}

// translateKnown replaces ids by those of a model, -1 if it lacks the entity, and returns the number
// of these.
func translateKnown(entities []int32, entity func(id int32) int32) (unknown int) {
	for i, e := range entities {
		if entities[i] = entity(e); entities[i] < 0 {
			unknown++
		}
	}
	return unknown
}

// rankGiven ranks a true answer among negatives, without those that the model lacks.
func rankGiven(score func(id int32) float64, truth int32, negatives []int32) (rank eval.Rank) {
	trueScore := score(truth)
	for _, id := range negatives {
		if id < 0 {
			continue
		}
		switch s := score(id); {
		case s > trueScore:
			rank.Better++
		case s == trueScore:
			rank.Equal++
		}
	}
	return rank
}
