package search

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// sleepyTask is a task whose trainings take some time.
type sleepyTask struct {
	task.Base
	takes time.Duration
}

func (sleepyTask) Identity() (task.Identity, error) { return task.Identity{}, nil }

func (sleepyTask) Check() error { return nil }

func (sleepyTask) Presentation() task.Presentation { return task.Presentation{} }

func (f sleepyTask) Train(
	ctx context.Context, trials []task.Trial, _ func(float64),
) ([]task.Artifact, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(f.takes):
	}
	for i := range trials {
		score := 0.5
		trials[i].State, trials[i].Score = task.Complete, &score
	}
	return nil, nil
}

// oneTrial is a stage that trains one trial.
type oneTrial struct {
	StageBase
	name task.Stage
	last Step // the last step, with Done
	step Step // the training step, without trials
}

func (o oneTrial) Next(_ context.Context, s *State) (Step, error) {
	if len(s.InStage(o.name)) == 0 {
		trials := s.Numbered(o.name, []task.Trial{{Recipe: s.Settings.TrialRecipe()}})
		return Step{Change: &Change{Trials: trials}}, nil
	}
	if p := s.Population(o.name, 1, nil); len(p) > 0 {
		o.step.Train = p
		return o.step, nil
	}
	o.last.Done = true
	return o.last, nil
}

// TestExecutor: the executor runs any stages in their order, and obeys their steps.
func TestExecutor(t *testing.T) {
	long := oneTrial{name: "long", step: Step{Deadline: time.Nanosecond}}
	with := func(o oneTrial, timeout Timeout) oneTrial {
		o.step.OnTimeout = timeout
		return o
	}
	skipped := oneTrial{name: "skipped", step: Step{
		Work: func(context.Context) (Change, error) {
			return Change{}, &Skipped{Note: "no reason"}
		},
	}}
	ending := oneTrial{name: "ending", last: Step{EndSearch: true, Stopped: SpaceExhausted}}
	noted := oneTrial{name: "noted", last: Step{Note: "a note"}}
	a, b := oneTrial{name: "a"}, oneTrial{name: "b"}
	for name, c := range map[string]struct {
		stages  []Stage
		trained []task.Stage
		stopped Stop
		note    string
	}{
		"in order":   {[]Stage{a, b}, []task.Stage{"a", "b"}, BudgetSpent, ""},
		"with notes": {[]Stage{noted, skipped, a}, []task.Stage{"noted", "a"}, BudgetSpent, "a note; no reason"},
		"the end":    {[]Stage{ending, a}, []task.Stage{"ending"}, SpaceExhausted, ""},
		"a timeout":  {[]Stage{a, long, b}, []task.Stage{"a"}, TimeLimitReached, ""},
		"next stage": {[]Stage{with(long, NextStage), b}, []task.Stage{"b"}, BudgetSpent, ""},
		"and then a stop": {
			[]Stage{with(long, NextStageThenStop), b}, []task.Stage{"b"}, TimeLimitReached, "",
		},
	} {
		r, err := Run(t.Context(), Problem{
			Task: sleepyTask{takes: time.Millisecond}, Settings: BasicSettings(), Stages: c.stages,
		})
		if err != nil {
			t.Fatal(err)
		}
		var trained []task.Stage
		for i, trial := range r.Trials {
			if trial.Number != i+1 {
				t.Errorf("%s: trial %d has number %d", name, i+1, trial.Number)
			}
			if trial.State == task.Complete {
				trained = append(trained, trial.Stage)
			}
		}
		if !slices.Equal(trained, c.trained) || r.Stopped != c.stopped || r.Note != c.note {
			t.Errorf("%s: trained %v, stopped by %q, note %q", name, trained, r.Stopped, r.Note)
		}
	}
}

// TestExecutorIsInterrupted: an interrupted search resumes with the trials that have no result.
func TestExecutorIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := Problem{
		Task: sleepyTask{}, Settings: BasicSettings(), Store: &Memory{},
		Stages: []Stage{oneTrial{name: "a"}},
	}
	r, err := Run(ctx, p)
	if err != nil || r.Stopped != Interrupted || r.Trials[0].State != task.Running {
		t.Fatalf("%+v, %v", r, err)
	}
	r, err = Run(t.Context(), p)
	if err != nil || r.Stopped != BudgetSpent || r.Trials[0].State != task.Complete {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestElapsedTime: a resumed search has used the time that had passed, not the sum of the times of
// trials, which is larger if machines train them at once.
func TestElapsedTime(t *testing.T) {
	s := BasicSettings()
	s.Planned, s.TimeLimit = &Planned{}, time.Hour
	store := &Memory{}
	p := Problem{Task: sleepyTask{}, Settings: s, Store: store, Stages: []Stage{oneTrial{name: "a"}}}
	e, err := newExecutor(p)
	if err != nil {
		t.Fatal(err)
	}
	e.Began = time.Now().Add(-time.Minute)
	plan := Plan{Limit: time.Hour, Used: time.Second}
	trials := e.Numbered("a", slices.Repeat([]task.Trial{{State: task.Complete, Seconds: 50}}, 8))
	for _, change := range []Change{{Plan: &plan}, {Trials: trials}} {
		if err := e.put(change); err != nil {
			t.Fatal(err)
		}
	}
	resumed, err := newExecutor(p)
	if err != nil {
		t.Fatal(err)
	}
	if used := resumed.Used(); used < time.Minute || used > 2*time.Minute {
		t.Errorf("the resumed search has used %v, want about a minute", used)
	}
	if resumed.Plan.Used != time.Second {
		t.Errorf("the plan was stored at %v", resumed.Plan.Used)
	}
}
