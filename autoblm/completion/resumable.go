package completion

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/progress"
)

// ResumableRanking is an engine whose rankers save ranks in a file from time to time, so that the
// same ranking resumes after an interruption. The name of the file must identify the models, the
// data and the engine. A ranking with a time limit is not the same each time.
type ResumableRanking struct {
	kge.Engine
	path    string
	writer  *checkpoint.Writer
	hasFile bool
	// saved has, by call of Rank and model, the ranks of the first triples.
	saved [][][]eval.Ranked
	calls int
}

// NewResumableRanking reads the file, if it exists. A damaged file is ignored. The file is written
// at most once in the given time; failures are passed to onError and do not end the ranking.
func NewResumableRanking(
	engine kge.Engine, path string, every time.Duration, onError func(error),
) *ResumableRanking {
	e := &ResumableRanking{Engine: engine, path: path}
	e.writer = checkpoint.NewWriter(path, every, onError)
	_, err := checkpoint.Read(path, &e.saved)
	if err != nil {
		e.saved = nil
	}
	e.hasFile = !errors.Is(err, fs.ErrNotExist)
	return e
}

// NewRanker implements [kge.Engine].
func (e *ResumableRanking) NewRanker(
	models []kge.Parameters, precision kge.Precision,
) (kge.Ranker, error) {
	r, err := e.Engine.NewRanker(models, precision)
	if err != nil {
		return nil, err
	}
	return &resumableRanker{Ranker: r, engine: e}, nil
}

// Done removes the file, if there is one.
func (e *ResumableRanking) Done() error {
	if !e.hasFile { // the folder may be read-only
		return nil
	}
	return checkpoint.Remove(e.path)
}

// next returns the saved ranks of the next call of Rank, which ranks a number of triples.
func (e *ResumableRanking) next(models, triples int) [][]eval.Ranked {
	call := e.calls
	e.calls++
	if call < len(e.saved) {
		ranks := e.saved[call]
		isOther := func(r []eval.Ranked) bool { return len(r) != len(ranks[0]) || len(r) > triples }
		if len(ranks) == models && !slices.ContainsFunc(ranks, isOther) {
			return ranks
		}
	}
	e.saved = append(e.saved[:call], make([][]eval.Ranked, models))
	return e.saved[call]
}

// save writes the file.
func (e *ResumableRanking) save() error {
	e.hasFile = true
	return e.writer.Tolerate(e.writer.Write(e.saved, nil))
}

// resumableRanker ranks triples in parts.
type resumableRanker struct {
	kge.Ranker
	engine *ResumableRanking
	report func(share float64) // receives progress; nil without
}

// partTriples is the number of triples between two saves. Smaller parts would not occupy all
// threads.
const partTriples = 6144

// OnProgress implements progress.Reporter.
func (r *resumableRanker) OnProgress(report func(share float64)) { r.report = report }

// Rank implements [kge.Ranker].
func (r *resumableRanker) Rank(
	ctx context.Context, triples []datasets.Triple, known *datasets.Known,
) ([][]eval.Ranked, error) {
	ranks := r.engine.next(r.Models(), len(triples))
	done := len(ranks[0])
	for part := range slices.Chunk(triples[done:], partTriples) {
		byModel, err := r.rankPart(ctx, part, known, done, len(triples))
		if err != nil {
			if ctx.Err() != nil {
				if failed := r.engine.save(); failed != nil {
					err = fmt.Errorf("%w; %w", err, failed)
				}
			}
			return nil, err
		}
		for model := range ranks {
			ranks[model] = append(ranks[model], byModel[model]...)
		}
		done += len(part)
		if r.report != nil { // parts of a small graph are too short to report their own
			r.report(float64(done) / float64(len(triples)))
		}
		if r.engine.writer.IsDue() {
			if err := r.engine.save(); err != nil {
				return nil, err
			}
		}
	}
	return ranks, nil
}

// rankPart ranks a part of the triples, after a number of them is done.
func (r *resumableRanker) rankPart(
	ctx context.Context, part []datasets.Triple, known *datasets.Known, done, all int,
) ([][]eval.Ranked, error) {
	if report := r.report; report != nil {
		defer progress.Attach(r.Ranker, func(share float64) {
			report((float64(done) + share*float64(len(part))) / float64(all))
		})()
	}
	return r.Ranker.Rank(ctx, part, known)
}
