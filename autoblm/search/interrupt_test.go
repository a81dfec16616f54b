package search_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/stage"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// thinking is a strategy that never returns, and ends the search.
type thinking struct {
	end     func()
	forever chan strategy.Proposal
}

func (thinking) Name() string { return "thinking" }

func (s thinking) Propose(
	strategy.Options, int, []task.Trial, int, *rand.Rand,
) (strategy.Proposal, error) {
	s.end()
	return <-s.forever, nil
}

// TestInterruptedProposal: a search ends while a strategy proposes, and the study is as before the round.
func TestInterruptedProposal(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	s := thinking{end, make(chan strategy.Proposal)}
	defer close(s.forever)
	result, err := stage.Run(ctx, problem(t, s, 4))
	if err != nil || result.Stopped != search.Interrupted || len(result.Rounds) != 0 ||
		result.Trained != 0 ||
		len(result.Baselines) != 5 {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestRecipesHaveALimit: the number of recipes is limited, since they are stored at once.
func TestRecipesHaveALimit(t *testing.T) {
	p := problem(t, strategy.Random{}, 10001)
	p.Settings.Model, p.Settings.Predictor = form.TransE, nil
	p.Settings.Training.Dim = 8
	if err := p.Settings.Validate(); err == nil ||
		!strings.Contains(err.Error(), "budget is 10001") ||
		!strings.Contains(err.Error(), "at most 10000") {
		t.Errorf("%v", err)
	}
}
