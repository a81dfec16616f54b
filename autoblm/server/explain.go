package server

import (
	"context"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
)

type explainRequest struct {
	Triples
	End string `json:"end,omitempty" default:"tail" enum:"head,tail" doc:"The end of the triples to explain as an answer. Ranks and scores are those of the tail."`
	Top int    `json:"top,omitempty" minimum:"1" doc:"Number of training triples for each; 3 if it is missing."`
}

func (r *explainRequest) size() (queries int, top *int, usual int) {
	return len(r.Triples.Triples), &r.Top, 3
}

// explain lists, for each triple, the training triples that speak most for it.
func (l *loaded) explain(ctx context.Context, r explainRequest) ([]Answered, error) {
	switch {
	case l.Answerer != nil && l.Graph == nil:
		return nil, l.lacking(withoutData)
	case l.Graph == nil || len(l.Graph.Train) == 0:
		return nil, l.lacking("has no training triples that explain its answers")
	}
	predictions, err := r.predict(ctx, l, options{known: eval.MarkKnown})
	if err != nil {
		return nil, err
	}
	asked := predictions
	if r.End == "head" {
		asked = headsOf(predictions)
	}
	select {
	case l.explaining <- struct{}{}:
		defer func() { <-l.explaining }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := l.Answerer.Explain(ctx, asked, r.Top); err != nil {
		return nil, err
	}
	return newAnswered(predictions), nil
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
