package cpu

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// Restrict implements [kge.Restricter].
func (r *ranker) Restrict(entities []int32) kge.EntityScorer {
	restricted := &ranker{threads: r.threads, precision: r.precision, models: r.models}
	for _, m := range r.models {
		rows := tiles.Embeddings{Count: len(entities), Table: tiles.NewTable(len(entities), m.dim)}
		for i, id := range entities {
			copy(tiles.PaddedRow(rows.Table, i), m.entities.Row(int(id)))
		}
		restricted.among = append(restricted.among, rows)
	}
	return restricted
}

// Scores implements [kge.Ranker].
func (r *ranker) Scores(
	ctx context.Context, model int, questions []kge.Question,
	visit func(question int, scores []float32),
) error {
	chunks, m := chunksOf(questions), r.models[model]
	candidates := m.entities
	if r.among != nil {
		candidates = r.among[model]
	}
	scorers := make([]*scorer, r.threads)
	done := r.progressOf(len(chunks))
	tiles.Parallel(r.threads, len(chunks), func(worker, i int) {
		if ctx.Err() != nil {
			return
		}
		if scorers[worker] == nil {
			scorers[worker] = newScorer(m, candidates, min(maxChunk, len(questions)))
		}
		c := chunks[i]
		for n, scores := range scorers[worker].scoresOf(m, questions[c.from:c.to]) {
			visit(c.from+n, scores)
		}
		done()
	})
	return ctx.Err()
}

// chunk is a range of questions that are scored together.
type chunk struct{ from, to int }

// maxChunk is the largest number of questions in a chunk, small enough that a few questions
// keep several threads busy.
const maxChunk = tiles.MaxQueries / 2

// chunksOf divides questions where a chunk is full and where the length of paths changes.
func chunksOf(questions []kge.Question) (chunks []chunk) {
	for from := 0; from < len(questions); {
		hops, to := len(questions[from].Path), from+1
		for to < len(questions) && to-from < maxChunk && len(questions[to].Path) == hops {
			to++
		}
		chunks = append(chunks, chunk{from, to})
		from = to
	}
	return chunks
}

// scorer scores chunks of questions on one thread.
type scorer struct {
	paths
	between states
	queries tiles.Queries
	among   tiles.Embeddings
	tile    kernel.Table // scores of a tile of entities
	scores  [][]float32  // by question
}

// newScorer allocates memory to score candidates for a number of questions.
func newScorer(m *model, candidates tiles.Embeddings, questions int) *scorer {
	s := &scorer{
		paths: newPaths(m, m.maxQueries(), false), among: candidates,
		queries: tiles.NewQueries(m.measure, m.dim),
		tile:    tiles.NewTable(tiles.Rows, tiles.MaxQueries),
	}
	for range questions {
		s.scores = append(s.scores, make([]float32, candidates.Count))
	}
	return s
}

// scoresOf returns the scores of all candidates for each question. The next call overwrites them.
func (s *scorer) scoresOf(m *model, questions []kge.Question) [][]float32 {
	s.reset(m, len(questions), len(questions[0].Path))
	for i := range questions {
		s.load(m, i, &questions[i])
	}
	scores := s.scores[:len(questions)]
	s.queries.Reset(len(questions))
	m.walk(forward, &s.paths, s.queries.Rows, &s.between)
	s.queries.Transpose()
	for i := range s.among.Tiles() {
		start, count, rows := s.among.Tile(i)
		s.queries.Scores(m.kernels, s.tile, s.among.From(start), rows)
		for row := range count {
			for q, score := range s.tile.Row(row)[:len(scores)] {
				scores[q][start+row] = score
			}
		}
	}
	return scores
}
