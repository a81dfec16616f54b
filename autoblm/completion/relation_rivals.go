package completion

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/memory"
)

// rivals has, for each true answer, the entities that at least one model scores as high. All models
// score any other entity lower, and so does every weighted sum of them. So rivals give the rank of
// the answer for all weights.
type rivals struct {
	models int
	// bySlot has the differences of scores from that of the true answer: those of the first rival
	// by each model, those of the second, and so on. The slots are those of [truth].
	bySlot [][]float32
}

// maxRivals is the number of rivals that are kept of an answer. Of more, the strongest by each model
// remain, so ranks are exact where they are small.
const maxRivals = 1024

// newRivals scores the queries of triples with models.
func newRivals(
	ctx context.Context, engine kge.Engine, models []*kge.Model, triples []datasets.Triple,
	g *datasets.Graph,
) (*rivals, error) {
	slots := 2 * len(triples)
	most := min(maxRivals, len(g.Entities))
	bytes := scoreBytes * float64(slots*most*len(models))
	work := "weighing " + format.Count(len(models), "model") + " by relation"
	if err := memory.Check(bytes, work, "take fewer models"); err != nil {
		return nil, err
	}
	ranker, err := newEnsembleRanker(ctx, engine, models, triples, g)
	if err != nil {
		return nil, err
	}
	defer ranker.close()
	r := &rivals{models: len(models), bySlot: make([][]float32, slots)}
	err = ranker.each(ctx, func(s scoredQuestion) {
		for _, answer := range ranker.truths[s.question] {
			r.bySlot[answer.slot] = rivalsOf(s.byModel, answer.entity, ranker.known[s.question])
		}
	})
	return r, err
}

// rivalsOf returns the differences of the rivals of a true answer, without the known answers.
func rivalsOf(byModel [][]float32, truth int32, known []int32) (differences []float32) {
	row := make([]float32, len(byModel))
	for id := range byModel[0] {
		isRival := false
		for model, scores := range byModel {
			row[model] = difference(scores[id], scores[truth])
			isRival = isRival || row[model] >= 0
		}
		if !isRival || int32(id) == truth {
			continue
		}
		if _, isKnown := slices.BinarySearch(known, int32(id)); !isKnown {
			differences = append(differences, row...)
		}
	}
	return strongest(differences, len(byModel))
}

// difference returns a - b within ±1e6. The difference is the largest where it is not a number.
func difference(a, b float32) float32 {
	const limit = 1e6
	d := a - b
	if math.IsNaN(float64(d)) {
		return limit
	}
	return min(max(d, -limit), limit)
}

// strongest returns at most maxRivals of the rivals, the strongest by each model.
func strongest(differences []float32, models int) []float32 {
	rows := slices.Collect(slices.Chunk(differences, models))
	if len(rows) <= maxRivals {
		return slices.Clip(differences)
	}
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	isKept := make([]bool, len(rows))
	for model := range models {
		slices.SortFunc(order, func(i, j int) int {
			return cmp.Or(cmp.Compare(rows[j][model], rows[i][model]), cmp.Compare(i, j))
		})
		for _, i := range order[:maxRivals/models] {
			isKept[i] = true
		}
	}
	kept := make([]float32, 0, models*maxRivals)
	for i, row := range rows {
		if isKept[i] {
			kept = append(kept, row...)
		}
	}
	return slices.Clip(kept)
}

// reciprocalRank returns the reciprocal rank of a true answer for weights of the models. Ties count
// against it.
func (r *rivals) reciprocalRank(slot int, weights []float64) float64 {
	rank := 1
	for row := range slices.Chunk(r.bySlot[slot], r.models) {
		if weighted(row, weights) >= 0 {
			rank++
		}
	}
	return 1 / float64(rank)
}

func weighted(row []float32, weights []float64) (sum float64) {
	for i, d := range row {
		sum += weights[i] * float64(d)
	}
	return sum
}
