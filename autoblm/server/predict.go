package server

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/danielgtaylor/huma/v2"
)

// Answered is the answer to a query, or the reason why there is none.
type Answered struct {
	completion.Prediction
	Error string `json:"error,omitempty" doc:"Why there is no answer."`
}

// newAnswered returns the JSON of a prediction.
func newAnswered(p completion.Prediction) Answered {
	a := Answered{Prediction: p}
	if p.Err != nil {
		a.Error, a.Answers = format.OneLine(p.Err), []eval.Answer{}
	}
	return a
}

// Batch holds the fields of requests with several queries. Embedded types are exported, so that the
// description has their fields.
type Batch[Query any] struct {
	Model   string  `json:"model,omitempty" doc:"Name of the model; the first if it is missing."`
	Queries []Query `json:"queries" nullable:"false" minItems:"1"`
}

// Selection says which answers to list.
type Selection struct {
	Top   int    `json:"top,omitempty" default:"10" minimum:"1" doc:"Number of answers."`
	Known string `json:"known,omitempty" default:"mark" enum:"mark,drop,keep" doc:"What to do with answers in the data."`
	Any   bool   `json:"any,omitempty" doc:"Also list entities of another kind than the data have there."`
}

func (s Selection) knownAnswers() (known eval.KnownAnswers) {
	_ = known.UnmarshalText([]byte(s.Known)) // the schema has checked it
	return known
}

// results are the answers to a batch in its order.
type results[Result any] struct {
	Model   string   `json:"model"`
	Results []Result `json:"results" nullable:"false"`
}

type predictRequest struct {
	Body struct {
		Batch[completion.Query]
		Selection
		Shares bool `json:"shares,omitempty" doc:"Add the share of each answer in the softmax and, if the model is calibrated, its probability."`
	}
}

func (s *Server) predict(
	ctx context.Context, in *predictRequest,
) (out results[Answered], err error) {
	b := &in.Body
	if err := s.checkBatch(len(b.Queries), b.Top); err != nil {
		return out, err
	}
	o := options{top: b.Top, known: b.knownAnswers(), any: b.Any, shares: b.Shares}
	return s.predictAll(ctx, b.Model, b.Queries, o)
}

// predictAll answers queries with a model.
func (s *Server) predictAll(
	ctx context.Context, model string, queries []completion.Query, o options,
) (out results[Answered], err error) {
	l, err := s.use(model)
	if err != nil {
		return out, err
	}
	defer l.release()
	if l.batcher == nil {
		return out, l.lacking("classifies nodes: ask /v1/classes")
	}
	s.metrics.countQueries(l.name, len(queries))
	predictions, err := l.batcher.predict(ctx, queries, o)
	out.Model = l.name
	for _, p := range predictions {
		out.Results = append(out.Results, newAnswered(p))
	}
	return out, err
}

// triple is a query without a missing part.
type triple struct {
	Head     string `json:"head" minLength:"1"`
	Relation string `json:"relation" minLength:"1"`
	Tail     string `json:"tail" minLength:"1"`
}

type scoreRequest struct {
	Body struct {
		Model   string   `json:"model,omitempty" doc:"Name of the model; the first if it is missing."`
		Triples []triple `json:"triples" nullable:"false" minItems:"1"`
		Any     bool     `json:"any,omitempty" doc:"Rank among entities of all kinds."`
	}
}

// score ranks the tail of each triple among the answers to its head and relation.
func (s *Server) score(ctx context.Context, in *scoreRequest) (out results[Answered], err error) {
	if err := s.checkBatch(len(in.Body.Triples), 0); err != nil {
		return out, err
	}
	queries := make([]completion.Query, len(in.Body.Triples))
	for i, t := range in.Body.Triples {
		queries[i] = completion.Query(t)
	}
	o := options{known: eval.MarkKnown, any: in.Body.Any, shares: true}
	return s.predictAll(ctx, in.Body.Model, queries, o)
}

type reloadRequest struct{}

// reloaded is the answer to a reload.
type reloaded struct {
	Models []string `json:"models" nullable:"false"`
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
