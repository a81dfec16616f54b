package stage

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// All returns the stages of a search in their order. Depending on the settings, some of them do
// nothing.
func All() []search.Stage {
	return []search.Stage{
		Recipes{}, Plan{}, Tuning{}, Revision{}, Structures{}, Retraining{}, Ensemble{}, Final{},
	}
}

// Run runs a search with all stages.
func Run(ctx context.Context, p search.Problem) (*search.Result, error) {
	p.Stages = All()
	return search.Run(ctx, p)
}

// Summarize computes the results of a study from its trials and rounds; see [search.Summarize].
func Summarize(s search.Settings, trials []task.Trial, rounds []search.Round) *search.Result {
	return search.Summarize(s, trials, rounds, All())
}
