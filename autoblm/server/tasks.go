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
	Body struct {
		Batch[query.Path]
		Selection
	}
}

// pathAnswers are the answers to a path, or the reason why there are none.
type pathAnswers struct {
	Query   query.Path    `json:"query"`
	Answers []eval.Answer `json:"answers" nullable:"false"`
	Error   string        `json:"error,omitempty" doc:"Why there is no answer."`
}

// paths answers queries of several hops.
func (s *Server) paths(ctx context.Context, in *pathsRequest) (out results[pathAnswers], err error) {
	b := &in.Body
	if err := s.checkBatch(len(b.Queries), b.Top); err != nil {
		return out, err
	}
	l, err := s.use(b.Model)
	if err != nil {
		return out, err
	}
	defer l.release()
	if l.Model.Paths == nil {
		return out, l.lacking("answers no paths: it was trained on triples")
	}
	s.metrics.countQueries(l.name, len(b.Queries))
	out.Model = l.name
	o := completion.PredictOptions{Top: b.Top, Known: b.knownAnswers(), AnyKind: b.Any}
	for _, q := range b.Queries {
		answers, err := l.Model.Paths(ctx, q, o)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		result := pathAnswers{Query: q, Answers: append([]eval.Answer{}, answers...)}
		if err != nil {
			result.Error = format.OneLine(err)
		}
		out.Results = append(out.Results, result)
	}
	return out, nil
}

type classesRequest struct {
	Body struct {
		Model string   `json:"model,omitempty" doc:"Name of the model; the first if it is missing."`
		Nodes []string `json:"nodes" nullable:"false" minItems:"1"`
		Top   int      `json:"top,omitempty" default:"10" minimum:"1" doc:"Number of classes."`
	}
}

// classified is the prediction for a node, or the reason why there is none.
type classified struct {
	classify.Prediction
	Error string `json:"error,omitempty" doc:"Why there is no answer."`
}

// classes classifies nodes.
func (s *Server) classes(
	ctx context.Context, in *classesRequest,
) (out results[classified], err error) {
	b := &in.Body
	if err := s.checkBatch(len(b.Nodes), b.Top); err != nil {
		return out, err
	}
	l, err := s.use(b.Model)
	if err != nil {
		return out, err
	}
	defer l.release()
	if l.Model.Classes == nil {
		return out, l.lacking("classifies no nodes")
	}
	s.metrics.countQueries(l.name, len(b.Nodes))
	out.Model = l.name
	for _, node := range b.Nodes {
		p, err := l.Model.Classes(ctx, node, b.Top)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		result := classified{Prediction: p}
		if err != nil {
			result.Prediction.Node, result.Error = node, format.OneLine(err)
		}
		out.Results = append(out.Results, result)
	}
	return out, nil
}
