package stage

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// entriesTask is a task without models, in which the score is the number of entries.
type entriesTask struct {
	task.Base
	refusal error
}

func (entriesTask) Presentation() task.Presentation { return task.Presentation{Metric: "entries"} }

func (e entriesTask) Check() error { return e.refusal }

func (entriesTask) Identity() (task.Identity, error) { return task.Identity{Task: "entries"}, nil }

func (e entriesTask) Train(
	_ context.Context,
	trials []task.Trial,
	onProgress func(float64),
) ([]task.Artifact, error) {
	for i := range trials {
		count := float64(trials[i].Structure.Nonzeros())
		trials[i].State, trials[i].Score = task.Complete, &count
	}
	onProgress(1)
	return nil, nil
}

// TestAnotherTask: the score of a task guides the search, which needs no graph, engine or models.
func TestAnotherTask(t *testing.T) {
	settings := search.BasicSettings()
	settings.Budget = 40
	store := &search.Memory{}
	result, err := Run(
		t.Context(),
		search.Problem{
			Task:     entriesTask{},
			Strategy: strategy.Evolutionary{},
			Settings: settings,
			Store:    store,
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	if result.Trained != 40 || result.Complete != 40 || result.Artifact != nil {
		t.Errorf("%d trained, %d complete, artifact %v", result.Trained, result.Complete,
			result.Artifact)
	}
	best := result.Best[0]
	for _, trial := range result.Trials {
		if trial.Round > 0 && trial.ScoreOrZero() > best.ScoreOrZero() {
			t.Errorf("%s scores %v, the best only %v", trial.Structure, trial.ScoreOrZero(),
				best.ScoreOrZero())
		}
	}
	if most := best.Structure.Nonzeros(); most < settings.InitialNonzeros+3 {
		t.Errorf(
			"the best has %d entries after 40 trials from %d on: the score did not guide the search",
			most,
			settings.InitialNonzeros,
		)
	}
	refusal := errors.New("nothing to search on")
	if _, err := Run(
		t.Context(),
		search.Problem{
			Task:     entriesTask{refusal: refusal},
			Strategy: strategy.Evolutionary{},
			Settings: settings,
		},
	); !errors.Is(err, refusal) {
		t.Errorf("a task that is not ready: error %v", err)
	}
}

// engineTask is an entriesTask on a named engine and backend, with a unit for bfloat16.
type engineTask struct {
	entriesTask
	engine, backend, unit string
}

func (p engineTask) Precision(partlyPlanned kge.Precision, _ form.Form, _ int) (kge.Precision, error) {
	return partlyPlanned, nil
}

func (p engineTask) Arithmetic(precision kge.Precision) (engine, backend string) {
	if precision == kge.Bfloat16 {
		return p.engine, p.backend + p.unit
	}
	return p.engine, p.backend
}

func (p engineTask) Train(
	ctx context.Context,
	trials []task.Trial,
	onProgress func(float64),
) ([]task.Artifact, error) {
	for i := range trials {
		trials[i].Engine, trials[i].Backend = p.Arithmetic(trials[i].Recipe.Training.Precision)
	}
	return p.entriesTask.Train(ctx, trials, onProgress)
}

// TestEnginesAreNotMixed: a search does not resume on another engine, as far as its trials record it.
func TestEnginesAreNotMixed(t *testing.T) {
	settings := search.BasicSettings()
	for _, c := range []struct {
		what        string
		began, goes task.Task
		mix         bool
		says        string // "" where it goes on
		precision   kge.Precision
	}{
		{"the same", engineTask{engine: "cpu", backend: "avx2"}, engineTask{engine: "cpu", backend: "avx2"}, false, "", kge.Float32},
		{"another instruction set", engineTask{engine: "cpu", backend: "avx2"}, engineTask{engine: "cpu", backend: "avx512"}, false, "engine cpu (avx2) trained its trials, and the results of cpu (avx512)", kge.Float32},
		{"another engine", engineTask{engine: "cpu", backend: "avx2"}, engineTask{engine: "gomlx", backend: "go"}, false, "engine cpu (avx2) trained its trials, and the results of gomlx (go)", kge.Float32},
		{"asked for", engineTask{engine: "cpu", backend: "avx2"}, engineTask{engine: "gomlx", backend: "go"}, true, "", kge.Float32},
		{"an engine without its instructions", engineTask{engine: "cpu"}, engineTask{engine: "cpu", backend: "avx512"}, false, "", kge.Float32},
		{"an engine without its instructions, on another", engineTask{engine: "cpu"}, engineTask{engine: "gomlx", backend: "go"}, false, "engine cpu trained its trials, and the results of gomlx (go)", kge.Float32},
		{"trials that do not know", entriesTask{}, engineTask{engine: "cpu", backend: "avx2"}, false, "", kge.Float32},
		{"a task that does not say", engineTask{engine: "cpu", backend: "avx2"}, entriesTask{}, false, "", kge.Float32},
		{"another unit", engineTask{engine: "cpu", backend: "avx512", unit: "+amx"}, engineTask{engine: "cpu", backend: "avx512", unit: "+avx512-bf16"}, false, "engine cpu (avx512+amx) trained its trials, and the results of cpu (avx512+avx512-bf16)", kge.Bfloat16},
		{"the same unit", engineTask{engine: "cpu", backend: "avx512", unit: "+amx"}, engineTask{engine: "cpu", backend: "avx512", unit: "+amx"}, false, "", kge.Bfloat16},
		{"another unit, which float32 has no use for", engineTask{engine: "cpu", backend: "avx512", unit: "+amx"}, engineTask{engine: "cpu", backend: "avx512", unit: "+avx512-bf16"}, false, "", kge.Float32},
	} {
		store := &search.Memory{}
		settings.Budget, settings.Training.Precision = 20, c.precision
		run := func(on task.Task) (*search.Result, error) {
			return Run(
				t.Context(),
				search.Problem{
					Task:       on,
					Strategy:   strategy.Evolutionary{},
					Settings:   settings,
					Store:      store,
					MixEngines: c.mix,
				},
			)
		}
		if _, err := run(c.began); err != nil {
			t.Fatal(err)
		}
		if r, err := run(c.goes); err != nil || r.Trained != 20 {
			t.Errorf("%s, with nothing left to train: %v", c.what, err)
		}
		before := stored(t, store)
		settings.Budget = 30
		r, err := run(c.goes)
		switch {
		case c.says == "" && (err != nil || r.Trained != 30):
			t.Errorf("%s: %v", c.what, err)
		case c.says != "" && (!errors.Is(err, search.ErrOtherEngine) || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: error %v, want %q", c.what, err, c.says)
		case c.says != "" && stored(t, store) != before:
			t.Errorf("%s: %d trials, %d before", c.what, stored(t, store), before)
		}
	}
}

// stored counts the trials of a store.
func stored(t *testing.T, s *search.Memory) int {
	t.Helper()
	trials, err := s.Trials()
	if err != nil {
		t.Fatal(err)
	}
	return len(trials)
}
