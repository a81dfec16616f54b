package server

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/internal/format"
)

type pathsRequest struct {
	Batch[query.Path]
	Selection
}

func (r *pathsRequest) size() (queries int, top *int, usual int) {
	return len(r.Queries), &r.Top, 10
}

// pathAnswers are the answers to a path, or the reason why there are none.
type pathAnswers struct {
	Query   query.Path    `json:"query" doc:"The query."`
	Answers []eval.Answer `json:"answers" nullable:"false" doc:"Its answers, best first."`
	Fault
}

// paths answers queries of several hops.
func (l *loaded) paths(ctx context.Context, r pathsRequest) ([]pathAnswers, error) {
	if l.Model.Paths == nil {
		return nil, l.lacking("answers no paths: it was trained on triples")
	}
	results := make([]pathAnswers, len(r.Queries))
	o := completion.PredictOptions{Top: r.Top, Known: r.knownAnswers(), AnyKind: r.Any}
	for i, q := range r.Queries {
		answers, err := l.Model.Paths(ctx, q, o)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		results[i] = pathAnswers{Query: q, Answers: append([]eval.Answer{}, answers...)}
		if err != nil {
			results[i].Error = format.OneLine(err)
		}
	}
	return results, nil
}

type classesRequest struct {
	ModelChoice
	Nodes []string `json:"nodes" nullable:"false" minItems:"1" doc:"Names of the nodes."`
	Top   int      `json:"top,omitempty" minimum:"1" doc:"Number of classes; 10 if it is missing."`
}

func (r *classesRequest) size() (queries int, top *int, usual int) {
	return len(r.Nodes), &r.Top, 10
}

// classified is the prediction for a node, or the reason why there is none.
type classified struct {
	classify.Prediction
	Fault
}

// classes classifies nodes.
func (l *loaded) classes(ctx context.Context, r classesRequest) ([]classified, error) {
	if l.Model.Classes == nil {
		return nil, l.lacking("classifies no nodes")
	}
	results := make([]classified, len(r.Nodes))
	for i, node := range r.Nodes {
		p, err := l.Model.Classes(ctx, node, r.Top)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		results[i].Prediction = p
		if err != nil {
			results[i].Node, results[i].Error = node, format.OneLine(err)
			results[i].Answers = []classify.Answer{} // [] in JSON, as in that of predict
		}
	}
	return results, nil
}
