package search_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/autoblm/autoblm-go/autoblm/kge"
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

// TestInterruptedDefaultModel: a search with a time limit begins with the default model, and
// resumes with the same one.
func TestInterruptedDefaultModel(t *testing.T) {
	p := problem(t, strategy.Random{}, 4)
	p.Default = &kge.Recipe{Training: p.Settings.Training, LearningRate: .2}
	p.Settings.RetrainSeeds, p.Settings.Planned = 1, &search.Planned{}
	p.Settings.TimeLimit = time.Hour
	want := run(t, p)
	p.Store = &search.Memory{}
	ctx, end := context.WithCancel(t.Context())
	p.OnProgress = func(at search.Progress) {
		if at.Stage == task.Default {
			end()
		}
	}
	if r, err := stage.Run(ctx, p); err != nil || r.Stopped != search.Interrupted || r.Kept != nil {
		t.Errorf("interrupted: %+v, %v", r, err)
	}
	p.OnProgress = nil
	got := run(t, p)
	if diff := cmp.Diff(want.Trials, got.Trials, ignoreSeconds); diff != "" ||
		got.Trials[0].Stage != task.Default || got.Trials[0].Recipe.LearningRate != .2 {
		t.Errorf("resumed, it has other trials:\n%s", diff)
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
