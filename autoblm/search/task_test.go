package search

import (
	"context"
	"errors"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// entries is a task that is not completion: a structure is the better the more
// entries it has, and it has no model.
type entries struct{ refusal error }

func (entries) Words() task.Words { return task.Words{Metric: "entries"} }

func (e entries) Check() error { return e.refusal }

func (entries) Identity() (task.Identity, error) { return task.Identity{Task: "entries"}, nil }

func (e entries) Train(_ context.Context, trials []task.Trial, onProgress func(float64)) ([]task.Artifact, error) {
	for i := range trials {
		count := float64(trials[i].Structure.Nonzeros())
		trials[i].State, trials[i].Score = task.Complete, &count
	}
	onProgress(1)
	return nil, nil
}

// TestAnotherTask: a search is guided by what the task says is good, needs neither
// a graph nor an engine, and keeps trials without models.
func TestAnotherTask(t *testing.T) {
	settings := DefaultSettings()
	settings.Budget = 40
	store := &Memory{}
	result, err := Run(t.Context(), Problem{Task: entries{}, Strategy: Evolutionary{}, Settings: settings, Store: store})
	if err != nil {
		t.Fatal(err)
	}
	if result.Trained != 40 || result.Complete != 40 || result.Artifact != nil {
		t.Errorf("%d trained, %d complete, artifact %v", result.Trained, result.Complete, result.Artifact)
	}
	best := result.Best[0]
	for _, trial := range result.Trials {
		if trial.Round > 0 && trial.ScoreOrZero() > best.ScoreOrZero() {
			t.Errorf("%s scores %v, above %v of what is called the best", trial.Structure, trial.ScoreOrZero(), best.ScoreOrZero())
		}
	}
	if most := best.Structure.Nonzeros(); most < settings.B0+3 {
		t.Errorf("the best has %d entries after 40 trials from %d on: the score did not guide the search", most, settings.B0)
	}
	refusal := errors.New("nothing to search on")
	if _, err := Run(t.Context(), Problem{Task: entries{refusal}, Strategy: Evolutionary{}, Settings: settings}); !errors.Is(err, refusal) {
		t.Errorf("a task that is not ready: error %v", err)
	}
}
