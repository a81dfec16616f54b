package cpu

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
)

// pathObjective learns all targets of an example at once, given the anchor and the path.
type pathObjective struct{}

func (pathObjective) directions() int { return 1 }

func (pathObjective) mean(losses []float64, sizes []int, all int) (mean float64) {
	for i, loss := range losses {
		mean += loss * float64(sizes[i])
	}
	return mean / float64(all)
}

func (pathObjective) learn(
	t *trainer, s *scratch, u *unit, a *activeUnit, weight float32,
) float64 {
	clear(first(u.queries, a.count*t.stateRows))
	t.walkQueries(forward, s, u, a, u.queries)
	ends := t.copyEnds(s, u, a)
	if t.settings.Dropout > 0 {
		t.drawMask(s.mask, u, a.count)
		s.mask.Apply(u.queries, a.count)
	}
	clear(first(s.gradQueries, a.count*t.stateRows))
	var loss float64
	if t.settings.Negatives > 0 {
		loss = t.negativeSampling(u, s.gradQueries, weight)
	} else {
		loss = t.crossEntropy(s, u, a, s.gradQueries, weight)
	}
	if t.settings.Dropout > 0 {
		s.mask.Apply(s.gradQueries, a.count)
	}
	isPlain := t.settings.InputDropout == 0 // the queries are the products
	if isPlain {
		loss += t.penalizeEnds(forward, u, ends, s.gradQueries, weight)
	}
	t.walkQueriesBack(forward, s, u, a, s.gradQueries)
	if !isPlain {
		loss += t.penalizeProducts(forward, s, u, a, weight)
	}
	loss += t.penalizeProducts(backward, s, u, a, weight)
	rows := t.penalizeAnchors(s, u, a, weight) + t.penalizeTargets(s, u, a, weight)
	for hop := range a.hops {
		rows += t.penalizeHop(s, u, a, hop, weight)
	}
	return loss + rows
}

// crossEntropy returns the log-loss over all entities: for each question the mean over its
// answers, times its weight. It adds the gradient with respect to the queries.
func (t *trainer) crossEntropy(
	s *scratch, u *unit, a *activeUnit, gradient kernel.Table, weight float32,
) float64 {
	softmax, e := a.overEntities, t.candidates()
	softmax.Reset(a.count)
	copy(softmax.Rows.Data, first(u.queries, a.count*t.stateRows))
	softmax.Forward(t.kernels, e, s.softmax)
	scores := s.scores[:0] // of all answers
	for i, x := range u.examples {
		for _, answer := range x.Targets {
			score := t.score(u, i, answer)
			if t.isNotSampled(answer) {
				softmax.Include(i, score)
			}
			scores = append(scores, score)
		}
		softmax.SetWeight(t.kernels, i, weight*x.Weight)
	}
	s.scores = scores
	softmax.Sampling = t.sampling(u)
	softmax.Finish(e, s.softmax)
	loss := 0.0
	for i, x := range u.examples {
		copy(part(gradient, i, t.stateRows), softmax.QueryRows(softmax.ByQuery, i))
		weight, sum := weight*x.Weight, 0.0
		for n, answer := range x.Targets {
			slope := -weight / float32(len(x.Targets))
			if t.isNotSampled(answer) {
				slope += weight * softmax.Probability(i, scores[n])
			}
			t.addPair(u, gradient, i, answer, slope)
			sum += scores[n]
		}
		scores = scores[len(x.Targets):]
		loss += float64(weight) * (softmax.LogSum(i) - sum/float64(len(x.Targets)))
	}
	return loss
}

// negativeSampling returns the loss of the drawn answers and of the drawn negatives. It adds the
// gradient with respect to the queries.
func (t *trainer) negativeSampling(u *unit, gradient kernel.Table, weight float32) float64 {
	loss := 0.0
	for i := range u.examples {
		if t.isCancelled() {
			return 0
		}
		x := &u.examples[i]
		learn := func(entity int32, sign float64, weight float32) {
			logit := sign * (t.settings.Margin + t.score(u, i, entity))
			loss += float64(weight) * softplus(-logit)
			slope := -weight * float32(sign/(1+math.Exp(logit)))
			t.addPair(u, gradient, i, entity, slope)
		}
		weight := weight * x.Weight
		learn(x.Target, 1, weight)
		count := t.settings.Negatives
		learnNegative := func(entity int32) { learn(entity, -1, weight/float32(count)) }
		rules.DrawNegatives(t.member.Seed, t.steps, u.first+i, t.entities.Count, count, x.Targets,
			learnNegative)
	}
	return loss
}

// softplus returns log(1 + exp(x)).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// score returns the score of an entity for the query of a path.
func (t *trainer) score(u *unit, path int, entity int32) float64 {
	query := part(u.queries, path, t.stateRows)
	return t.measure.Score(query, tiles.PaddedRow(t.entities.Table, int(entity)))
}

// addPair adds a pair's gradient with respect to the query. It keeps the pair, from which the
// gradient with respect to the entity is computed later.
func (t *trainer) addPair(u *unit, gradient kernel.Table, path int, entity int32, slope float32) {
	row := tiles.PaddedRow(t.entities.Table, int(entity))
	to, query := part(gradient, path, t.stateRows), part(u.queries, path, t.stateRows)
	t.measure.AddGradQuery(t.kernels, to, query, row, slope)
	u.pairs = append(u.pairs, pair{entity, int32(path), slope})
}

// copyEnds returns a copy of the ends of the paths before dropout, if they are penalized.
func (t *trainer) copyEnds(s *scratch, u *unit, a *activeUnit) kernel.Table {
	if t.member.Products == 0 {
		return kernel.Table{}
	}
	copy(s.rows.Data, first(u.queries, a.count))
	return s.rows
}

// penalizeEnds returns the penalty of the ends of paths in direction d and adds its gradient.
func (t *trainer) penalizeEnds(
	d direction, u *unit, ends, gradient kernel.Table, weight float32,
) (loss float64) {
	product := t.member.Products
	if product == 0 {
		return 0
	}
	for i := range u.examples {
		x, scaled := tiles.PaddedRow(ends, i), weight*t.startScale(d, &u.examples[i])
		loss += product * float64(scaled) * tiles.Dot(x, x)
		t.kernels.ScaleAdd(tiles.PaddedRow(gradient, i), x, float32(2*product)*scaled)
	}
	return loss
}

// penalizeProducts penalizes the ends of the paths when walked in direction d from their anchors or
// from the drawn answers.
func (t *trainer) penalizeProducts(
	d direction, s *scratch, u *unit, a *activeUnit, weight float32,
) float64 {
	if t.member.Products == 0 {
		return 0
	}
	clear(first(s.rows, a.count))
	clear(first(s.gradQueries, a.count))
	t.walk(d, &a.paths, s.rows, &s.between)
	loss := t.penalizeEnds(d, u, s.rows, s.gradQueries, weight)
	t.walkBack(d, &a.paths, s.gradQueries, s.between, &s.gradBetween, &u.gradients)
	return loss
}
