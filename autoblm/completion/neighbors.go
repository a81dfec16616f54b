package completion

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// Neighbor is an entity or a relation with its similarity to another one.
type Neighbor struct {
	Label      string  `json:"label" doc:"Label of the neighbor."`
	Similarity float64 `json:"similarity" doc:"Cosine of the angle between the embeddings, from -1 to 1; for an ensemble, the mean over its members."`
}

// Neighbors returns the entities with the most similar embeddings, best first; all if top is at most 0.
func Neighbors(models []*kge.Model, entity string, top int) ([]Neighbor, error) {
	id, err := labels.Entity(models[0].EntityLabels, entity)
	if err != nil {
		return nil, err
	}
	table := func(m *kge.Model) ([]float32, int) { return m.Entities, m.Dim }
	return nearest(models, models[0].EntityLabels, table, int(id), top), nil
}

// RelationNeighbors returns the relations with the most similar embeddings like [Neighbors]. It
// ignores reverse relations.
func RelationNeighbors(models []*kge.Model, relation string, top int) ([]Neighbor, error) {
	names := models[0].RelationLabels
	id := slices.Index(names, relation)
	if id < 0 {
		return nil, fmt.Errorf("the model has no relation %q%s", relation,
			enum.DidYouMean(enum.Near(names, relation)))
	}
	table := func(m *kge.Model) ([]float32, int) {
		spec := m.Specs()[0]
		return m.Relations, spec.Rows * spec.Columns
	}
	return nearest(models, names, table, id, top), nil
}

// nearest returns the best other labels by the cosine to a row, computed in float64.
func nearest(
	models []*kge.Model, names []string, table func(*kge.Model) ([]float32, int), id, top int,
) []Neighbor {
	similarities := make([]float64, len(names))
	for _, m := range models {
		numbers, columns := table(m)
		row := numbers[id*columns:][:columns]
		_, length := product(row, row)
		inParallel(len(names), func(i int) {
			dot, square := product(row, numbers[i*columns:][:columns])
			if scale := math.Sqrt(length * square); scale > 0 {
				similarities[i] += dot / scale / float64(len(models))
			}
		})
	}
	if top <= 0 || top >= len(names) {
		top = len(names) - 1
	}
	order := func(a, b int) int {
		return cmp.Or(cmp.Compare(similarities[b], similarities[a]), cmp.Compare(a, b))
	}
	var best []int
	least := math.Inf(-1) // of the best so far
	for i, s := range similarities {
		if i == id || s <= least {
			continue
		}
		if best = append(best, i); len(best) >= 2*max(top, 1000) {
			slices.SortFunc(best, order)
			best = best[:top]
			least = similarities[best[top-1]]
		}
	}
	slices.SortFunc(best, order)
	best = best[:min(len(best), top)]
	found := make([]Neighbor, len(best))
	for n, i := range best {
		found[n] = Neighbor{names[i], similarities[i]}
	}
	return found
}

// product returns the products of a with b and of b with itself. Four sums let the processor work on
// several products at once.
func product(a, b []float32) (dot, square float64) {
	var d, s [4]float64
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		for lane := range 4 {
			x, y := float64(a[i+lane]), float64(b[i+lane])
			d[lane] += x * y
			s[lane] += y * y
		}
	}
	for ; i < len(a); i++ {
		x, y := float64(a[i]), float64(b[i])
		d[0] += x * y
		s[0] += y * y
	}
	return d[0] + d[1] + d[2] + d[3], s[0] + s[1] + s[2] + s[3]
}

// inParallel calls f for 0 to n-1 on all processors.
func inParallel(n int, f func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := w * n / workers; i < (w+1)*n/workers; i++ {
				f(i)
			}
		})
	}
	wait.Wait()
}
