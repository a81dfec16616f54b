package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// Negatives describes the loss of negative sampling with self-adversarial weights (Sun et al.,
// 2019, Equations 5 and 6). All rows are negatives of all queries, except those excluded.
type Negatives struct {
	// Margin is added to scores. Temperature multiplies scores before the softmax that weighs the
	// negatives of a query; 0 weighs all alike.
	Margin, Temperature float64
	// Excluded are rows that are no negatives of a query.
	Excluded []Place
}

// Place is a row and a query.
type Place struct{ Row, Query int32 }

// NegativeSampling returns Σ weight·(-log σ(margin + score) - Σ_n p_n·log σ(-margin - score_n)) over
// answers, where p_n are the weights of negatives. Gradients take them for constants. It leaves the
// gradient of the queries in ByQuery and adds that of the answers to their Gradient. A query without
// negatives has no second term. Products must be in float32, with dense gradients.
func (s *Softmax) NegativeSampling(k *kernel.Set, e Embeddings, by Negatives, answers int,
	scratch *Scratch, answer func(i int) Answer) float64 {
	kept := s.store.(*exponentials).units[s.number]
	for i := range s.weights {
		s.shifts[i], s.sums[i], s.weights[i] = float32(math.Inf(-1)), 0, 0
	}
	for i := range answers {
		a := answer(i)
		s.weights[a.Query] += a.Weight
	}
	s.scoreNegatives(k, e, kept, by.Excluded)
	losses := scratch.losses[:s.PaddedCount]
	clear(losses)
	for tile := range kept {
		s.weighNegatives(k, e, kept[tile], tile, by, scratch, losses)
	}
	loss := 0.0
	for i := range s.Count {
		if s.sums[i] == 0 { // no negatives
			s.sums[i] = 1
		}
		s.SetWeight(k, i, s.weights[i])
		loss += float64(s.weights[i]) * losses[i] / s.sums[i]
	}
	for i := range answers {
		a := answer(i)
		query := s.QueryRows(s.Rows, a.Query)
		logit := by.Margin + s.measure.Score(query, a.Row)
		loss += float64(a.Weight) * softplus(-logit)
		slope := -a.Weight * float32(1/(1+math.Exp(logit)))
		s.measure.AddGradQuery(k, s.QueryRows(s.ByQuery, a.Query), query, a.Row, slope)
		s.measure.AddGradRow(k, a.Gradient, query, a.Row, slope)
	}
	return loss
}

// NegativeGradient computes the gradient of the rows of a tile, [rows of the tile, d], after
// NegativeSampling. It overwrites the slopes of the tile, so call it once per tile.
func (s *Softmax) NegativeGradient(k *kernel.Set, e Embeddings, tile int, gradient,
	scratch kernel.Table) {
	kept := s.store.(*exponentials).units[s.number][tile]
	start, _, rows := e.Tile(tile)
	factors := kept.maxima[:s.PaddedCount]
	for i := range factors {
		factors[i] = 0 // of padding
		if s.weights[i] != 0 {
			factors[i] = s.weights[i] / float32(s.sums[i])
		}
	}
	s.measure.GradRows(k, &s.Queries, gradient, kept.Table, e.From(start), factors, rows, scratch, false)
}

// softplus returns log(1 + exp(x)).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// scoreNegatives computes all scores, and their maxima as shifts. Scores of excluded rows and of
// padding are -Inf.
func (s *Softmax) scoreNegatives(
	k *kernel.Set, e Embeddings, kept []tileExponentials, excluded []Place,
) {
	minusInf := float32(math.Inf(-1))
	s.Transpose()
	for tile := range kept {
		start, count, rows := e.Tile(tile)
		s.Scores(k, kept[tile].Table, e.From(start), rows)
		for row := count; row < rows; row++ {
			for i := range s.PaddedCount {
				kept[tile].Row(row)[i] = minusInf
			}
		}
	}
	for _, p := range excluded {
		kept[p.Row/Rows].Row(int(p.Row % Rows))[p.Query] = minusInf
	}
	for tile := range kept {
		_, _, rows := e.Tile(tile)
		k.ColumnMax(kept[tile].Table, rows, s.PaddedCount, s.shifts)
	}
	for i, shift := range s.shifts {
		if shift == minusInf { // no negatives
			s.shifts[i] = 0
		}
	}
}

// weighNegatives replaces the scores of a tile by slopes that lack the weight of the query and the
// sum of exponentials, to which it adds. It adds the tile to the losses and to the gradient of the
// queries.
func (s *Softmax) weighNegatives(k *kernel.Set, e Embeddings, kept tileExponentials, tile int,
	by Negatives, scratch *Scratch, losses []float64) {
	start, _, rows := e.Tile(tile)
	weights, tails := scratch.negatives[0], scratch.negatives[1]
	const least = 1e-30 // times -Inf it is -Inf, not NaN
	margin, temperature := float32(by.Margin), max(least, float32(by.Temperature))
	for row := range rows {
		scores := kept.Row(row)[:s.PaddedCount]
		exponents, distances := weights.Row(row)[:len(scores)], tails.Row(row)[:len(scores)]
		shifts := s.shifts[:len(scores)]
		for i, score := range scores {
			exponents[i] = min(0, temperature*(score-shifts[i]))
			distances[i] = -kernel.Abs(margin + score)
		}
	}
	clear(s.tileSums)
	k.ExpSum(weights, rows, s.PaddedCount, scratch.zeros, s.tileSums)
	s.add()
	k.ExpSum(tails, rows, s.PaddedCount, scratch.zeros, scratch.unused)
	for row := range rows {
		scores := kept.Row(row)[:s.PaddedCount]
		weights, tails := weights.Row(row)[:len(scores)], tails.Row(row)[:len(scores)]
		losses := losses[:len(scores)]
		for i, score := range scores {
			// With t = exp(-|z|), σ(z) is 1/(1+t), or t/(1+t) if z is negative.
			z, t := margin+score, tails[i]
			per := 1 / (1 + t)
			losses[i] += float64(weights[i] * (max(z, 0) + log1p(t)))
			if z < 0 {
				per *= t
			}
			scores[i] = weights[i] * per
		}
	}
	copy(kept.maxima, s.shifts)
	s.measure.GradQuery(k, &s.Queries, s.ByQuery, kept.Table, e.From(start), rows, tile > 0)
}

// log1p returns log(1+t) for t from 0 to 1, as 2·artanh(t/(2+t)). The error of the series is below
// 1e-9.
func log1p(t float32) float32 {
	v := t / (2 + t)
	w := v * v
	return 2 * v * (1 + w*(1./3+w*(1./5+w*(1./7+w*(1./9+w*(1./11+w*(1./13+w/15)))))))
}
