package server

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
)

// maxBatch is the number of queries that one pass over the embeddings answers. More would make
// other requests wait.
const maxBatch = 64

// batcher answers all queries that wait at the same time together. A pass over the embeddings is
// limited by the memory, so that many queries take little longer than one.
type batcher struct {
	answerer predictor
	jobs     chan *job
	ended    sync.WaitGroup
}

// predictor has the methods of [completion.Answerer] that a batcher calls.
type predictor interface {
	Predict(
		ctx context.Context, queries []completion.Query, o completion.PredictOptions,
	) ([]completion.Prediction, error)
}

// job holds queries of one request.
type job struct {
	ctx     context.Context
	queries []completion.Query
	options options
	done    chan outcome
}

// options are equal for all requests that are answered together.
type options struct {
	top    int
	known  eval.KnownAnswers
	any    bool
	shares bool
}

type outcome struct {
	predictions []completion.Prediction
	err         error
}

// newBatcher returns a batcher that answers one batch at a time, with all threads. Two at a time
// would be two passes with half as many queries each.
func newBatcher(p predictor) *batcher {
	b := &batcher{answerer: p, jobs: make(chan *job, maxBatch)}
	b.ended.Go(b.run)
	return b
}

// close ends the batcher. It has no jobs.
func (b *batcher) close() {
	close(b.jobs)
	b.ended.Wait()
}

// predict answers queries, in parts so that other requests do not wait for all.
func (b *batcher) predict(
	ctx context.Context, queries []completion.Query, o options,
) (all []completion.Prediction, err error) {
	for len(queries) > 0 {
		n := min(len(queries), maxBatch)
		j := &job{ctx, queries[:n], o, make(chan outcome, 1)}
		select {
		case b.jobs <- j:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		select {
		case got := <-j.done:
			if got.err != nil {
				return nil, got.err
			}
			all = append(all, got.predictions...)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		queries = queries[n:]
	}
	return all, nil
}

func (b *batcher) run() {
	for first := range b.jobs {
		jobs := map[options][]*job{first.options: {first}}
		for n := len(first.queries); n < maxBatch; {
			select {
			case j, open := <-b.jobs:
				if open {
					jobs[j.options] = append(jobs[j.options], j)
					n += len(j.queries)
					continue
				}
			default:
			}
			break
		}
		for o, together := range jobs {
			b.answer(o, together)
		}
	}
}

// answer answers jobs with equal options. It leaves out those whose request has ended.
func (b *batcher) answer(o options, jobs []*job) {
	jobs = slices.DeleteFunc(jobs, func(j *job) bool { return j.ctx.Err() != nil })
	if len(jobs) == 0 {
		return
	}
	var queries []completion.Query
	for _, j := range jobs {
		queries = append(queries, j.queries...)
	}
	ctx := context.Background()
	if len(jobs) == 1 {
		ctx = jobs[0].ctx
	}
	predictions, err := b.guarded(ctx, queries, completion.PredictOptions{
		Top: o.top, Known: o.known, AnyKind: o.any, Shares: o.shares,
	})
	for _, j := range jobs {
		if err != nil {
			j.done <- outcome{err: err}
			continue
		}
		n := len(j.queries)
		j.done <- outcome{predictions: predictions[:n:n]}
		predictions = predictions[n:]
	}
}

// guarded turns a panic into an error: a fault about one query must not end the server.
func (b *batcher) guarded(
	ctx context.Context, queries []completion.Query, o completion.PredictOptions,
) (p []completion.Prediction, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("internal error: %v", fault)
		}
	}()
	return b.answerer.Predict(ctx, queries, o)
}
