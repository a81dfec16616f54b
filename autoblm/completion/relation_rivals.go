package completion

import (
	"container/heap"
	"context"
	"iter"
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
	// bySlot has for each slot of [truth] the differences of scores from that of the true answer,
	// [rivals, models].
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
	most := min(max(maxRivals, len(models)), len(g.Entities))
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

// rivalsOf returns the differences of the rivals of a true answer, without the known answers. It keeps
// at most maxRivals, or one for each model if there are more models.
func rivalsOf(byModel [][]float32, truth int32, known []int32) (differences []float32) {
	all := rivalsIn(byModel, truth, known)
	n := 0
	for _, row := range all {
		if n++; n > maxRivals {
			return strongest(all, len(byModel))
		}
		differences = append(differences, row...)
	}
	return slices.Clip(differences)
}

// rivalsIn yields the rivals of a true answer by id, with the difference by each model. The row is
// valid until the next one.
func rivalsIn(byModel [][]float32, truth int32, known []int32) iter.Seq2[int32, []float32] {
	return func(yield func(id int32, row []float32) bool) {
		row := make([]float32, len(byModel))
		for id := range int32(len(byModel[0])) {
			isRival := false
			for model, scores := range byModel {
				row[model] = difference(scores[id], scores[truth])
				isRival = isRival || row[model] >= 0
			}
			if !isRival || id == truth {
				continue
			}
			if _, isKnown := slices.BinarySearch(known, id); !isKnown && !yield(id, row) {
				return
			}
		}
	}
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

// strongest returns the differences of the rivals that are the strongest by a model. Memory does not
// grow with the number of rivals.
func strongest(all iter.Seq2[int32, []float32], models int) []float32 {
	size := max(1, maxRivals/models)
	tops := make([]top, models)
	for id, row := range all {
		for model, d := range row {
			tops[model].offer(rival{id, d}, size)
		}
	}
	isKept := map[int32]bool{}
	for _, t := range tops {
		for _, r := range t {
			isKept[r.id] = true
		}
	}
	kept := make([]float32, 0, len(isKept)*models)
	for id, row := range all {
		if isKept[id] {
			kept = append(kept, row...)
		}
	}
	return kept
}

// rival is an entity and the difference of its score by one model.
type rival struct {
	id         int32
	difference float32
}

// top is a heap of the strongest rivals by one model. The first is the weakest. Of equal ones, that
// with the larger id is weaker.
type top []rival

// offer adds a rival, or replaces the weakest of size rivals if that is weaker. Rivals come by id.
func (t *top) offer(r rival, size int) {
	switch {
	case len(*t) < size:
		heap.Push(t, r)
	case r.difference > (*t)[0].difference:
		(*t)[0] = r
		heap.Fix(t, 0)
	}
}

func (t top) Len() int { return len(t) }

func (t top) Less(i, j int) bool {
	return t[i].difference < t[j].difference ||
		t[i].difference == t[j].difference && t[i].id > t[j].id
}

func (t top) Swap(i, j int) { t[i], t[j] = t[j], t[i] }

func (t *top) Push(r any) { *t = append(*t, r.(rival)) }

// Pop completes [heap.Interface].
func (t *top) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
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
