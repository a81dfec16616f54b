package server

import (
	"context"
	"errors"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/danielgtaylor/huma/v2"
)

// Fault is the part of a result that says why there is no answer.
type Fault struct {
	Error string `json:"error,omitempty" doc:"Why there is no answer."`
}

// Answered is the answer to a query, or the reason why there is none.
type Answered struct {
	completion.Prediction
	Fault
}

// newAnswered returns the JSON of predictions.
func newAnswered(predictions []completion.Prediction) []Answered {
	all := make([]Answered, len(predictions))
	for i, p := range predictions {
		all[i].Prediction = p
		if p.Err != nil {
			all[i].Error, all[i].Answers = format.OneLine(p.Err), []eval.Answer{}
		}
	}
	return all
}

// Batch holds the fields of requests with several queries.
type Batch[Query any] struct {
	ModelChoice
	Queries []Query `json:"queries" nullable:"false" minItems:"1" doc:"The queries."`
}

// Selection says which answers to list.
type Selection struct {
	Top   int    `json:"top,omitempty" minimum:"1" doc:"Number of answers; 10 if it is missing."`
	Known string `json:"known,omitempty" default:"mark" enum:"mark,drop,keep" doc:"What to do with answers in the data: mark or drop them, or keep them without marks."`
	Any   bool   `json:"any,omitempty" doc:"Also list entities of another kind than the data have there."`
}

func (s Selection) knownAnswers() (known eval.KnownAnswers) {
	_ = known.UnmarshalText([]byte(s.Known)) // the schema has checked it
	return known
}

type predictRequest struct {
	Batch[completion.Query]
	Selection
	Shares bool `json:"shares,omitempty" doc:"Add the share of each answer in the softmax and, if the model is calibrated, its probability."`
}

func (r *predictRequest) size() (queries int, top *int, usual int) {
	return len(r.Queries), &r.Top, 10
}

// predict answers queries.
func (l *loaded) predict(ctx context.Context, r predictRequest) ([]Answered, error) {
	o := options{top: r.Top, known: r.knownAnswers(), any: r.Any, shares: r.Shares}
	if l.Answerer != nil && l.Graph == nil && o.known == eval.DropKnown {
		return nil, l.lacking(withoutData)
	}
	predictions, err := l.predictAll(ctx, r.Queries, o)
	return newAnswered(predictions), err
}

// predictAll answers queries together with those of other requests.
func (l *loaded) predictAll(
	ctx context.Context, queries []completion.Query, o options,
) ([]completion.Prediction, error) {
	if l.batcher == nil {
		return nil, l.lacking("classifies nodes: ask /v1/classes")
	}
	return l.batcher.predict(ctx, queries, o)
}

// Triples holds the fields of requests about triples.
type Triples struct {
	ModelChoice
	Triples []completion.Query `json:"triples" nullable:"false" minItems:"1" doc:"The triples. One with a missing part gets an error."`
}

// predict scores each tail and ranks it among the answers to the head and relation.
func (t Triples) predict(
	ctx context.Context, l *loaded, o options,
) ([]completion.Prediction, error) {
	queries := slices.Clone(t.Triples)
	for i, q := range queries {
		if q.Head == "" || q.Relation == "" || q.Tail == "" {
			queries[i] = completion.Query{} // whose answer is an error
		}
	}
	predictions, err := l.predictAll(ctx, queries, o)
	for i := range predictions {
		if queries[i] == (completion.Query{}) {
			predictions[i].Query = t.Triples[i]
			predictions[i].Err = errors.New("a triple needs a head, a relation and a tail")
		}
	}
	return predictions, err
}

type scoreRequest struct {
	Triples
	Any bool `json:"any,omitempty" doc:"Rank among entities of all kinds."`
}

func (r *scoreRequest) size() (queries int, top *int, usual int) {
	return len(r.Triples.Triples), nil, 0
}

// score ranks the tail of each triple among the answers to its head and relation.
func (l *loaded) score(ctx context.Context, r scoreRequest) ([]Answered, error) {
	o := options{known: eval.MarkKnown, any: r.Any, shares: true}
	predictions, err := r.predict(ctx, l, o)
	return newAnswered(predictions), err
}

type reloadRequest struct{}

// reloaded is the answer to a reload.
type reloaded struct {
	Models []string `json:"models" nullable:"false" doc:"Names of the models that were loaded."`
}

// reload loads all models again, in longer than the time of other requests.
func (s *Server) reload(ctx context.Context, _ *reloadRequest) (out reloaded, err error) {
	if err := s.Reload(context.WithoutCancel(ctx)); err != nil {
		return out, huma.Error500InternalServerError(format.OneLine(err))
	}
	for _, slot := range s.slots {
		out.Models = append(out.Models, slot.Name)
	}
	return out, nil
}
