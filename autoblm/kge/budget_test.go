package kge_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/google/go-cmp/cmp"
)

// within returns a deadline with much to rank before it.
func within(d time.Duration) *kge.Deadline {
	now := time.Now()
	return &kge.Deadline{Began: now, End: now.Add(d), Ranked: 1e9}
}

// stuck is an engine that takes some steps and then waits for the end of the context.
type stuck struct {
	kge.Engine
	after int
}

func (e stuck) NewPopulation(d *kge.Data, s kge.Settings, members []kge.Member) (kge.Population,
	error) {
	p, err := e.Engine.NewPopulation(d, s, members)
	return &stuckPopulation{p, e.after}, err
}

type stuckPopulation struct {
	kge.Population
	left int
}

func (p *stuckPopulation) Epoch(ctx context.Context, batches kge.Batches,
	rates []float64) (kge.Epoch, error) {
	n := min(p.left, batches.Count)
	p.left -= n
	epoch, err := p.Population.Epoch(context.WithoutCancel(ctx), kge.BatchesOf(batches.All()[:n]...), rates)
	if err != nil || n == batches.Count {
		return epoch, err
	}
	<-ctx.Done()
	return kge.Epoch{}, ctx.Err()
}

// TestDeadline checks that a training that its deadline stops, also within an epoch or before
// the first step, says where, has a model, and resumes to the results of an uninterrupted one.
func TestDeadline(t *testing.T) {
	engine := cpu.New(1)
	defer engine.Close()
	alone, err := kge.Train(t.Context(), engine, job(1, func(*kge.Settings) {}))
	require.NoError(t, err)
	for after, want := range map[int]kge.EarlyStop{1: {Epoch: 0, Step: 1}, 4: {Epoch: 1, Step: 0},
		6: {Epoch: 1, Step: 2}} {
		want.Epochs, want.Steps = 6, 4
		j := job(1, func(*kge.Settings) {})
		j.Checkpoint, j.Deadline = &kge.Checkpoint{File: filepath.Join(t.TempDir(), "training")},
			within(300*time.Millisecond)
		report, err := kge.Train(t.Context(), stuck{engine, after}, j)
		if err != nil || report.Complete || report.StoppedEarly == nil || *report.StoppedEarly != want {
			t.Fatalf("after %d steps: %v, cut %+v", after, err, report.StoppedEarly)
		}
		reached := kge.Position{Epoch: want.Epoch, Interrupted: true}
		if want.Step > 0 {
			reached.Steps = after
		}
		if r := report.Results[0]; *r.Model.Position != reached || len(r.Loss) != want.Epoch {
			t.Errorf("after %d steps the model is of %+v, with %d losses; want %+v", after, r.Model.Position,
				len(r.Loss), reached)
		}
		j.Deadline = nil
		again, err := kge.Train(t.Context(), engine, j)
		if err != nil || !again.Complete || again.StoppedEarly != nil || again.Resumed != want.Epoch {
			t.Fatalf("gone on with after %d steps: %v, %+v", after, err, again)
		}
		if difference := cmp.Diff(alone.Results[0].Model, again.Results[0].Model,
			comparables); difference != "" {
			t.Errorf("cut after %d steps (-alone +again):\n%s", after, difference)
		}
	}
}

// TestNoTimeAtAll checks that there is a model of the initial embeddings.
func TestNoTimeAtAll(t *testing.T) {
	j := job(2, func(s *kge.Settings) { s.ValidateEvery = 1 })
	j.Deadline = &kge.Deadline{Began: time.Now().Add(-time.Minute), End: time.Now().Add(-time.Second),
		Ranked: 10}
	report := mustTrain(t, &enginetest.Scripted{}, j)
	if c := report.StoppedEarly; c == nil || c.Epoch != 0 || c.Step != 0 || report.Complete {
		t.Errorf("cut %+v", report.StoppedEarly)
	}
	for _, r := range report.Results {
		if r.Err != nil || *r.Model.Position != (kge.Position{Interrupted: true}) {
			t.Errorf("%v: %+v", r.Err, r.Model)
		}
	}
}

// TestBestAtTheDeadline checks that the embeddings within an epoch are the result only if their
// validation is better than that of the best epoch.
func TestBestAtTheDeadline(t *testing.T) {
	for better, want := range map[int32]kge.Position{
		0: {Epoch: 2, Steps: 10, Interrupted: true},
		7: {Epoch: 1, Interrupted: true},
	} {
		engine := &enginetest.Scripted{
			Better: func(step, _ int) int32 { return map[int]int32{4: 2, 8: 3, 10: better}[step] },
		}
		j := job(1, func(s *kge.Settings) { s.ValidateEvery = 1 })
		j.Deadline = within(2 * time.Second)
		report, err := kge.Train(t.Context(),
			&stepwise{Scripted: engine, left: 10, cancel: func() {}, waits: true}, j)
		require.NoError(t, err)
		r := report.Results[0]
		if *r.Model.Position != want || len(r.Validations) != 2 ||
			*report.StoppedEarly != (kge.EarlyStop{Epoch: 2, Epochs: 6, Step: 2, Steps: 4}) {
			t.Errorf("with %d candidates above the truth in the end: %+v, cut %+v, validations %v; want %+v",
				better, r.Model.Position, report.StoppedEarly, r.Validations, want)
		}
	}
}

// TestADistantDeadline checks that a distant deadline changes nothing.
func TestADistantDeadline(t *testing.T) {
	train := func(d *kge.Deadline) *kge.Report {
		engine := cpu.New(1)
		defer engine.Close()
		j := job(2, func(s *kge.Settings) { s.ValidateEvery = 2 })
		j.Deadline, j.OnStep = d, func(kge.Progress) {}
		report, err := kge.Train(t.Context(), engine, j)
		require.NoError(t, err)
		return report
	}
	want, got := train(nil),
		train(&kge.Deadline{Began: time.Now(), End: time.Now().Add(time.Hour), Ranked: 4})
	if difference := cmp.Diff(untimed(want), untimed(got), comparables); difference != "" ||
		got.StoppedEarly != nil || got.ValidatedBy != 0 {
		t.Errorf("cut %+v, validated by %d (-without +with):\n%s", got.StoppedEarly, got.ValidatedBy,
			difference)
	}
}

// TestDeadlineOfAStart checks that the first pass over the data for given embeddings ends in time, and
// that the model then has them.
func TestDeadlineOfAStart(t *testing.T) {
	engine := cpu.New(1)
	defer engine.Close()
	j := job(1, func(*kge.Settings) {})
	trained, err := kge.Train(t.Context(), engine, j)
	require.NoError(t, err)
	j.Start = kge.NewStart(trained.Results[0].Model.LabelledTables(), 6)
	j.Deadline = within(300 * time.Millisecond)
	report, err := kge.Train(t.Context(), stuck{engine, 2}, j)
	if err != nil || report.StoppedEarly == nil || report.StoppedEarly.Epoch != 0 {
		t.Fatalf("%v, %+v", err, report)
	}
	if diff := cmp.Diff(trained.Results[0].Model.Entities, report.Results[0].Model.Entities); diff != "" {
		t.Errorf("other embeddings than those to begin with (-want +got):\n%s", diff)
	}
}

// TestLargeStateAtTheDeadline checks that a training which stops between two epochs, and whose state
// is too large to be copied, resumes after the last of them.
func TestLargeStateAtTheDeadline(t *testing.T) {
	defer kge.KeepNone()()
	engine := cpu.New(1)
	defer engine.Close()
	j := job(1, func(*kge.Settings) {})
	j.Checkpoint = &kge.Checkpoint{File: filepath.Join(t.TempDir(), "training"), Every: time.Hour}
	j.Deadline = within(300 * time.Millisecond)
	report, err := kge.Train(t.Context(), stuck{engine, 12}, j)
	if err != nil || report.StoppedEarly == nil || report.StoppedEarly.Epoch != 3 || report.StoppedEarly.Step != 0 {
		t.Fatalf("%v, %+v", err, report.StoppedEarly)
	}
	j.Deadline = nil
	again, err := kge.Train(t.Context(), engine, j)
	require.NoError(t, err)
	if again.Resumed != 3 {
		t.Errorf("resumed after epoch %d, want 3", again.Resumed)
	}
}
