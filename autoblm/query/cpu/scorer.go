package cpu

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/query"
)

// scorer scores with a model.
type scorer struct {
	*model
	threads int
}

// NewScorer implements [query.Engine].
func (e *Engine) NewScorer(p query.Parameters) (query.Scorer, error) {
	return &scorer{newModel(e.kernels, p), e.threads}, nil
}

// Scores implements [query.Scorer].
func (s *scorer) Scores(ctx context.Context, queries []query.Query, visit func(query int, scores []float32)) error {
	chunks := chunksOf(queries)
	askers := make([]*asker, s.threads)
	tiles.Parallel(s.threads, len(chunks), func(worker, i int) {
		if ctx.Err() != nil {
			return
		}
		if askers[worker] == nil {
			askers[worker] = newAsker(s.model)
		}
		c := chunks[i]
		for n, scores := range askers[worker].ask(s.model, queries[c.from:c.to]) {
			visit(c.from+n, scores)
		}
	})
	return ctx.Err()
}

// chunk is queries that are asked together.
type chunk struct{ from, to int }

// mostAsked is how many these are: few enough that a small set keeps several
// threads busy too.
const mostAsked = tiles.MostQueries / 2

// chunksOf cuts queries where a chunk is full and where the length changes.
func chunksOf(queries []query.Query) (chunks []chunk) {
	for from := 0; from < len(queries); {
		to := from + 1
		for to < len(queries) && to-from < mostAsked && queries[to].Hops() == queries[from].Hops() {
			to++
		}
		chunks = append(chunks, chunk{from, to})
		from = to
	}
	return chunks
}

// asker asks queries one chunk at a time.
type asker struct {
	passage
	states  track
	queries tiles.Queries
	tile    kernel.Table // scores of a tile of entities
	scores  [][]float32  // by query
}

func newAsker(m *model) *asker {
	a := &asker{passage: newPassage(m), queries: tiles.NewQueriesBy(m.measure.ofAll(), m.dim), tile: tiles.NewTable(tiles.Rows, tiles.MostQueries)}
	for range mostAsked {
		a.scores = append(a.scores, make([]float32, m.entities.Count))
	}
	return a
}

// ask returns the scores of all entities for each query.
func (a *asker) ask(m *model, queries []query.Query) [][]float32 {
	a.reset(m, len(queries), queries[0].Hops())
	for i := range queries {
		a.put(m, i, &queries[i])
	}
	m.walk(there, &a.passage, a.anchors, &a.states)
	scores := a.scores[:len(queries)]
	a.queries.Reset(len(queries))
	copy(a.queries.Rows.Data, first(a.states[a.hops], len(queries)*m.stateRows))
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
