package cpu

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// Scores implements [kge.Ranker].
func (r *ranker) Scores(ctx context.Context, model int, questions []kge.Question, visit func(question int, scores []float32)) error {
	chunks, m := chunksOf(questions), r.models[model]
	askers := make([]*asker, r.threads)
	over := r.doing(len(chunks))
	tiles.Parallel(r.threads, len(chunks), func(worker, i int) {
		if ctx.Err() != nil {
			return
		}
		if askers[worker] == nil {
			askers[worker] = newAsker(m)
		}
		c := chunks[i]
		for n, scores := range askers[worker].ask(m, questions[c.from:c.to]) {
			visit(c.from+n, scores)
		}
		over()
	})
	return ctx.Err()
}

// chunk is queries that are asked together.
type chunk struct{ from, to int }

// mostAsked is how many these are: few enough that a small set keeps several
// threads busy too.
const mostAsked = tiles.MaxQueries / 2

// chunksOf cuts queries where a chunk is full and where the length changes.
func chunksOf(queries []kge.Question) (chunks []chunk) {
	for from := 0; from < len(queries); {
		to := from + 1
		for to < len(queries) && to-from < mostAsked && len(queries[to].Path) == len(queries[from].Path) {
			to++
		}
		chunks = append(chunks, chunk{from, to})
		from = to
	}
	return chunks
}

// asker asks queries one chunk at a time.
type asker struct {
	paths
	between states
	queries tiles.Queries
	tile    kernel.Table // scores of a tile of entities
	scores  [][]float32  // by query
}

func newAsker(m *model) *asker {
	a := &asker{paths: newPaths(m, m.mostQueries(), false), queries: tiles.NewQueries(m.measure, m.dim), tile: tiles.NewTable(tiles.Rows, tiles.MaxQueries)}
	for range mostAsked {
		a.scores = append(a.scores, make([]float32, m.entities.Count))
	}
	return a
}

// ask returns the scores of all entities for each query.
func (a *asker) ask(m *model, queries []kge.Question) [][]float32 {
	a.reset(m, len(queries), len(queries[0].Path))
	for i := range queries {
		a.put(m, i, &queries[i])
	}
	scores := a.scores[:len(queries)]
	a.queries.Reset(len(queries))
	m.walk(forward, &a.paths, a.queries.Rows, &a.between)
	a.queries.Transpose()
	for i := range m.entities.Tiles() {
		start, count, rows := m.entities.Tile(i)
		a.queries.Scores(m.kernels, a.tile, m.entities.From(start), rows)
		for row := range count {
			for q, score := range a.tile.Row(row)[:len(scores)] {
				scores[q][start+row] = score
			}
		}
	}
	return scores
}
