package completion

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"golang.org/x/sync/errgroup"
)

// engineScores computes float32 scores of entities with an engine. Those of an ensemble are the
// means of its members' scores, with its weights.
type engineScores struct {
	rankers     []kge.Ranker     // of each model
	bounds      []kge.ScoreBound // of each model
	dim         int              // sum over the models
	canRestrict bool             // all rankers can
	weights     func(relation int32) []float64
}

func newEngineScores(engine kge.Engine, p Predictor) (*engineScores, error) {
	models := p.Models()
	s := &engineScores{
		bounds: make([]kge.ScoreBound, len(models)), canRestrict: true, weights: p.weights,
	}
	var bounds errgroup.Group
	for i, m := range models {
		bounds.Go(func() error {
			s.bounds[i] = kge.NewScoreBound(engine, m.Parameters, len(m.RelationLabels))
			return nil
		})
	}
	var err error
	for _, m := range models {
		var ranker kge.Ranker
		if ranker, err = engine.NewRanker([]kge.Parameters{m.Parameters}, kge.Float32); err != nil {
			break
		}
		_, can := ranker.(kge.Restricter)
		s.rankers, s.dim, s.canRestrict = append(s.rankers, ranker), s.dim+m.Dim, s.canRestrict && can
	}
	bounds.Wait()
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *engineScores) close() {
	for _, ranker := range s.rankers {
		ranker.Close()
	}
}

// bound bounds the difference of a score from its definition in float64.
//
// The mean of m members has at most m roundings more, or m+1 with weights, which are rounded too and
// multiply. Each is at most u = 2⁻²⁴ of the magnitudes M that [kge.ScoreBound] sums. A bound has more
// than 16 roundings, so it is above 16uM.
func (s *engineScores) bound(q kge.Question) float64 {
	if len(s.bounds) == 1 {
		return s.bounds[0].Of(q)
	}
	sum, members := 0.0, len(s.bounds)
	weights := s.weights(relationOf(q))
	for i, b := range s.bounds {
		sum += memberWeight(weights, i, members) * b.Of(q)
	}
	return sum * (1 + (float64(members)+1)/16)
}

// all returns a scorer of all entities.
func (s *engineScores) all(entities int) kge.EntityScorer {
	scorers := make([]kge.EntityScorer, len(s.rankers))
	for i, ranker := range s.rankers {
		scorers[i] = ranker
	}
	return s.meanOf(scorers, entities)
}

// restrict returns a scorer of some entities; see canRestrict.
func (s *engineScores) restrict(entities []int32) kge.EntityScorer {
	scorers := make([]kge.EntityScorer, len(s.rankers))
	for i, ranker := range s.rankers {
		scorers[i] = ranker.(kge.Restricter).Restrict(entities)
	}
	return s.meanOf(scorers, len(entities))
}

// meanScorer computes the means of the scores of several models.
type meanScorer struct {
	models   []kge.EntityScorer
	entities int
	weights  func(relation int32) []float64
}

// meanOf returns a scorer of means for scorers of a number of entities, each of one model.
func (s *engineScores) meanOf(models []kge.EntityScorer, entities int) kge.EntityScorer {
	if len(models) == 1 {
		return models[0]
	}
	return &meanScorer{models, entities, s.weights}
}

// Scores implements [kge.EntityScorer].
func (s *meanScorer) Scores(
	ctx context.Context, model int, questions []kge.Question,
	visit func(question int, scores []float32),
) error {
	const numbers = 1 << 26 // in memory: 256 MB
	size := min(len(questions), max(1, numbers/max(1, s.entities)))
	sums := make([]float32, size*s.entities)
	for from := 0; from < len(questions); from += size {
		part := questions[from:min(from+size, len(questions))]
		clear(sums)
		weights := make([][]float64, len(part))
		for i, q := range part {
			weights[i] = s.weights(relationOf(q))
		}
		for i, scorer := range s.models {
			isLast := i == len(s.models)-1
			err := scorer.Scores(ctx, model, part, func(question int, scores []float32) {
				weight, divisor := float32(1), float32(len(s.models))
				if weights[question] != nil {
					weight, divisor = float32(weights[question][i]), 1
				}
				sum := sums[question*s.entities:][:len(scores)]
				for n, score := range scores {
					sum[n] += weight * score
				}
				if isLast {
					for n := range sum {
						sum[n] /= divisor
					}
					visit(from+question, sum)
				}
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
