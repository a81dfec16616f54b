package server

import (
	"context"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
)

type explainRequest struct {
	Body struct {
		Model   string   `json:"model,omitempty" doc:"Name of the model; the first if it is missing."`
		Triples []triple `json:"triples" nullable:"false" minItems:"1"`
		End     string   `json:"end,omitempty" default:"tail" enum:"head,tail" doc:"The end of the triples to explain as an answer. Ranks and scores are those of the tail."`
		Top     int      `json:"top,omitempty" default:"3" minimum:"1" doc:"Number of training triples for each."`
	}
}

// explain lists, for each triple, the training triples that speak most for it.
func (s *Server) explain(
	ctx context.Context, in *explainRequest,
) (out results[Answered], err error) {
	b := &in.Body
	if err := s.checkBatch(len(b.Triples), b.Top); err != nil {
		return out, err
	}
	l, err := s.use(b.Model)
	if err != nil {
		return out, err
	}
	defer l.release()
	if l.batcher == nil || l.Graph == nil || len(l.Graph.Train) == 0 {
		return out, l.lacking("has no training triples that explain its answers")
	}
	queries := make([]completion.Query, len(b.Triples))
	for i, t := range b.Triples {
		queries[i] = completion.Query(t)
	}
	s.metrics.countQueries(l.name, len(queries))
	predictions, err := l.batcher.predict(ctx, queries, options{known: eval.MarkKnown})
	if err != nil {
		return out, err
	}
	asked := predictions
	if b.End == "head" {
		asked = headsOf(predictions)
	}
	select {
	case l.explaining <- struct{}{}:
		defer func() { <-l.explaining }()
	case <-ctx.Done():
		return out, ctx.Err()
	}
	if err := l.Answerer.Explain(ctx, asked, b.Top); err != nil {
		return out, err
	}
	out.Model = l.name
	for _, p := range predictions {
		out.Results = append(out.Results, newAnswered(p))
	}
	return out, nil
}

// headsOf returns predictions about triples with the heads as answers. It changes the answers in
// place.
func headsOf(triples []completion.Prediction) []completion.Prediction {
	heads := slices.Clone(triples)
	for i := range heads {
		heads[i].Query.Head = ""
		for n := range heads[i].Answers {
			heads[i].Answers[n].Entity = triples[i].Query.Head
		}
	}
	return heads
}
