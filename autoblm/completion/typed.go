package completion

import (
	"context"
	"errors"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
)

// TypedEvaluation holds the metrics of ranks among entities of the right kind.
type TypedEvaluation struct {
	Evaluation
	// Outside is the number of true entities that train does not have at that end of the relation,
	// and whose types it does not have there either. They rank after all candidates.
	Outside int `json:"outside"`
}

// RankTyped ranks the true entities of triples of g, with the ids of the model, among the entities
// seen at that end of the relation in train, and those that share a declared type with one of them.
// No fact of another split adds a candidate, except that rdf:type declares types in all splits.
// Other known answers of all splits are left out, and so is the entity of the query itself unless
// train has facts of the relation with one entity at both ends. A relation that train lacks has all
// entities as candidates. outside is the number of true entities that are no candidates. Scores are
// in float32.
func RankTyped(
	ctx context.Context, p Predictor, engine kge.Engine, g *datasets.Graph,
	triples []datasets.Triple,
) (ranks []eval.Ranked, outside int, err error) {
	if engine == nil {
		return nil, 0, errors.New("ranking among entities of the right kind needs an engine")
	}
	a, err := NewAnswerer(p, trainOf(g), engine)
	if err != nil {
		return nil, 0, err
	}
	defer a.Close()
	known := g.KnownOf(triples)
	ranks = make([]eval.Ranked, len(triples))
	isOutside := make([][2]bool, len(triples)) // by triple, for tails and heads
	for e, indices := range byEnd(triples) {
		c := a.ofKind(e)
		questions := e.questions(triples, indices)
		err := a.eachScores(ctx, c, questions, func(n int, scores []float32) {
			q, i := questions[n], indices[n]
			answers, rank, side := known.Tails(q.given, q.relation), &ranks[i].Tail, 0
			if e.isHead {
				answers, rank, side = known.Heads(q.relation, q.given), &ranks[i].Head, 1
			}
			*rank, isOutside[i][side] = c.rank(q, scores, answers)
		})
		if err != nil {
			return nil, 0, err
		}
	}
	for _, sides := range isOutside {
		for _, is := range sides {
			if is {
				outside++
			}
		}
	}
	return ranks, outside, nil
}

// rank returns the rank of the other entity of a question among the candidates without other known
// answers, and whether it is of another kind.
func (c *candidates) rank(
	q question, scores []float32, known []int32,
) (rank eval.Rank, isOutside bool) {
	truth, found := c.index(q.other)
	for i, score := range scores {
		if found && (i == truth || score < scores[truth]) {
			continue
		}
		id := c.id(i)
		if c.noLoops && id == q.given {
			continue
		}
		if _, isKnown := slices.BinarySearch(known, id); isKnown {
			continue
		}
		if found && score == scores[truth] {
			rank.Equal++
		} else {
			rank.Better++
		}
	}
	return rank, !found
}
