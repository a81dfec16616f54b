package main

import (
	"context"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
)

// mostCompared is the largest number of entities among which eval ranks if the data set gives
// negatives.
var mostCompared = 1_000_000

// givenTitle is the name of the metrics among given negatives.
const givenTitle = "given negatives"

// rankGiven ranks a split among the negatives that the data set gives, and sets the metrics. known
// has the triples that the model knows. It returns no ranks if there are no negatives.
func (c *evalCommand) rankGiven(
	ctx context.Context, o *output, p completion.Predictor, g, known *datasets.Graph,
	s *evalSummary,
) (triples []datasets.Triple, ranks []eval.Ranked, err error) {
	if !g.HasNegatives() {
		return nil, nil, nil
	}
	defer showActivity(o, "ranking among given negatives")()
	triples, ranks, unknown, err := completion.RankGiven(ctx, p, g, c.Split, c.Sample)
	if err != nil || ranks == nil {
		return nil, nil, err
	}
	of, err := known.Split(c.Split)
	if err != nil {
		return nil, nil, err
	}
	s.Given = &completion.GivenEvaluation{
		Evaluation: completion.SummarizeSample(ranks, len(of), eval.Realistic), Unknown: unknown,
	}
	return triples, ranks, nil
}

// addGiven adds the metrics among given negatives, if there are any.
func (s evalSummary) addGiven(b *cli.Block) {
	if s.Given == nil {
		return
	}
	addMetrics(b, givenTitle, s.Given.Both, 0)
	if s.evaluation() == nil {
		addMetrics(b, "heads", s.Given.Head, 0)
		addMetrics(b, "tails", s.Given.Tail, 0)
		noteSample(b, givenTitle, s.Given.Triples, s.Given.Of)
		b.Note(fmt.Sprintf("With more than %s entities, only these are compared.",
			format.Int(mostCompared)))
	}
	if s.Given.Unknown > 0 {
		b.Note(format.Count(s.Given.Unknown, "given negative") + " left out: the model lacks the entities.")
	}
}
