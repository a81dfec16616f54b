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
		released := 0
		for i, id := range entities { // ascending
			copy(tiles.PaddedRow(rows.Table, i), tiles.PaddedRow(m.entities.Table, int(id)))
			const together = 512 // rows; far apart, each of them loads the pages around it
			if i%together == together-1 && int(id) > released {
				m.entities.Release(released, int(id))
				released = int(id)
			}
		}
		m.entities.Release(released, m.entities.Count)
		restricted.among = append(restricted.among, rows)
	}
	return restricted
}

// Scores implements [kge.Ranker]. All threads work on the same questions, each on other tiles of
// entities, so that the embeddings pass through the caches once for many questions.
func (r *ranker) Scores(
	ctx context.Context, model int, questions []kge.Question,
	visit func(question int, scores []float32),
) error {
	m := r.models[model]
	m.prepare(r.threads)
	candidates := m.entities
	if r.among != nil {
		candidates = r.among[model]
	}
	candidates.Rounded = nil // scores are in float32
	size := chunkSize(candidates.Count)
	chunks := chunksOf(questions, size)
	s := newScorer(m, candidates, r.threads, min(size, len(questions)))
	done := r.progressOf(len(chunks))
	for _, c := range chunks {
		scores := s.scoresOf(m, questions[c.from:c.to])
		if ctx.Err() != nil {
			break
		}
		tiles.Parallel(r.threads, len(scores), func(_, i int) { visit(c.from+i, scores[i]) })
		done()
	}
	return ctx.Err()
}

// chunk is a range of questions that are scored together.
type chunk struct{ from, to int }

// chunkSize returns the largest number of questions in a chunk, whose scores of a number of
// candidates take memory: above 1 million, there are fewer.
func chunkSize(candidates int) int {
	const most, scores = 4, 1 << 26
	return kernel.Columns * min(most, max(1, scores/kernel.Columns/max(1, candidates)))
}

// chunksOf divides questions where a chunk of a size is full and where the length of paths changes.
func chunksOf(questions []kge.Question, size int) (chunks []chunk) {
	for from := 0; from < len(questions); {
		hops, to := len(questions[from].Path), from+1
		for to < len(questions) && to-from < size && len(questions[to].Path) == hops {
			to++
		}
		chunks = append(chunks, chunk{from, to})
		from = to
	}
	return chunks
}

// scorer scores chunks of questions.
type scorer struct {
	paths
	between states
	queries tiles.Queries
	among   tiles.Embeddings
	threads int
	tiles   []kernel.Table // scores of a tile of entities, by thread
	readers []tiles.TileReader
	scores  [][]float32 // by question
}

// newScorer allocates memory to score candidates for a number of questions.
func newScorer(m *model, candidates tiles.Embeddings, threads, questions int) *scorer {
	s := &scorer{
		paths: newPaths(m, questions, false), among: candidates, threads: threads,
		queries: tiles.NewScoringQueries(m.measure, m.dim), tiles: make([]kernel.Table, threads),
		readers: make([]tiles.TileReader, threads),
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
	tiles.Parallel(s.threads, s.among.Tiles(), func(thread, i int) {
		tile := &s.tiles[thread]
		if tile.Data == nil {
			*tile = tiles.NewTable(tiles.Rows, tiles.MaxQueries)
		}
		start, count, rows := s.among.Tile(i)
		s.queries.Scores(m.kernels, *tile, s.readers[thread].Read(s.among, i).Table, rows)
		for from := 0; from < count; from += transposedRows {
			to := min(from+transposedRows, count)
			for q, of := range scores {
				at := from*tile.Stride + q
				for i := start + from; i < start+to; i++ {
					of[i] = tile.Data[at]
					at += tile.Stride
				}
			}
		}
	})
	return scores
}

// transposedRows is the number of rows of scores that are transposed together. They fit in the L1
// cache.
const transposedRows = 48
