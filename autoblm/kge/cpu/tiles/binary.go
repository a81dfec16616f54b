package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// Labels are the labels of all rows for the queries of a unit.
type Labels struct {
	// Answers are the places with the label OfAnswers, sorted by row. All others have OfOthers.
	Answers             []Place
	OfAnswers, OfOthers float64
	// Weights are the weights of queries in the loss.
	Weights []float32
}

// BinaryCrossEntropy returns Σ weight · (softplus(score) - label·score) over queries and rows. It
// leaves the gradient of the queries in ByQuery; Collect then computes those of the rows. Products
// must be in float32, with dense gradients.
func (s *Softmax) BinaryCrossEntropy(k *kernel.Set, e Embeddings, by Labels, scratch *Scratch,
) float64 {
	kept := s.store.(*exponentials).units[s.number]
	for i := range s.weights { // Collect then takes the kept numbers as slopes
		s.shifts[i], s.sums[i], s.weights[i] = 0, 1, 0
	}
	losses := scratch.losses[:s.PaddedCount]
	clear(losses)
	s.Transpose()
	answers := by.Answers
	for tile := range kept {
		start, count, rows := e.Tile(tile)
		n := 0
		for n < len(answers) && int(answers[n].Row) < start+count {
			n++
		}
		of := e.From(start)
		s.Scores(k, kept[tile].Table, of, rows)
		s.classify(k, kept[tile], start, count, rows, by, answers[:n], scratch, losses)
		answers = answers[n:]
		s.measure.GradQuery(k, &s.Queries, s.ByQuery, kept[tile].Table, of, rows, tile > 0)
	}
	loss := 0.0
	for i, weight := range by.Weights {
		s.SetWeight(k, i, weight)
		loss += float64(weight) * losses[i]
	}
	return loss
}

// classify replaces the scores of a tile by slopes without the weights of queries, and adds the tile
// to the losses. The rows after count are padding.
func (s *Softmax) classify(k *kernel.Set, kept tileExponentials, start, count, rows int, by Labels,
	answers []Place, scratch *Scratch, losses []float64) {
	n, more := s.PaddedCount, by.OfAnswers-by.OfOthers
	for _, p := range answers {
		losses[p.Query] -= more * float64(kept.Row(int(p.Row) - start)[p.Query])
	}
	tails, label := scratch.negatives[0], float32(by.OfOthers)
	for row := range rows {
		tails := tails.Row(row)[:n]
		for i, score := range kept.Row(row)[:n] {
			tails[i] = -kernel.Abs(score)
		}
	}
	k.ExpSum(tails, rows, n, scratch.zeros, scratch.unused)
	products := scratch.products[:n] // of 1 + exp(-|score|), at most 2^rows
	for i := range products {
		products[i] = 1
	}
	for row := range count {
		scores, tails := kept.Row(row)[:n], tails.Row(row)[:n]
		losses, products := losses[:n], products[:n]
		for i, score := range scores {
			// With t = exp(-|x|), σ(x) is 1/(1+t), or t/(1+t) if x is negative.
			t := tails[i]
			sum := 1 + t
			slope := 1 / sum
			if score < 0 {
				slope = t / sum
			}
			losses[i] += float64(max(score, 0) - label*score)
			products[i] *= float64(sum)
			scores[i] = slope - label
		}
	}
	for i, product := range products {
		losses[i] += math.Log(product)
	}
	for row := count; row < rows; row++ {
		clear(kept.Row(row)[:n])
	}
	for _, p := range answers {
		kept.Row(int(p.Row) - start)[p.Query] -= float32(more)
	}
	clear(kept.maxima)
}
