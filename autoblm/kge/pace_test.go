package kge_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/require"
)

// pacedJob returns a training that validates and is longer than the measured part.
func pacedJob(t *testing.T) (kge.Engine, kge.Job) {
	t.Helper()
	g, err := datasets.Open("world")
	require.NoError(t, err)
	r := kge.DefaultRecipe()
	r.Training.ValidateEvery, r.Training.Patience, r.Training.Batch = 1, 2, 1
	member := kge.Member{LearningRate: .1, Structure: structure.MustParse("complex")}
	engine := cpu.New(1)
	t.Cleanup(engine.Close)
	return engine, kge.Job{
		Data: completion.Data(g), Settings: r.Training, Members: []kge.Member{member},
	}
}

// TestEpochSeconds measures the pace of a training. The job stays as it is.
func TestEpochSeconds(t *testing.T) {
	engine, job := pacedJob(t)
	before := job.Settings
	seconds, err := kge.EpochSeconds(t.Context(), engine, job, 8, 60)
	if err != nil || seconds <= 0 || seconds > 60 || job.Settings != before {
		t.Errorf("%v s, %v, %+v", seconds, err, job.Settings)
	}
}

// TestPaceOfQueries checks that an epoch of bce has as many steps as batches of queries, which are
// not as many as triples.
func TestPaceOfQueries(t *testing.T) {
	j := job(1, func(s *kge.Settings) { s.Loss, s.Reciprocal, s.Batch = kge.BCE, true, 2 })
	batches := j.Data.Batches(j.Settings, 1).Count
	if of := (j.Data.Count + 1) / 2; batches == of {
		t.Fatalf("%d batches, as of triples", batches)
	}
	engine := &enginetest.Scripted{Seconds: func(int) []float64 { return slices.Repeat([]float64{1}, batches) }}
	seconds, err := kge.EpochSeconds(t.Context(), engine, j, 4, 60)
	if err != nil || !near(seconds, float64(batches)) {
		t.Errorf("%v s, %v; want %d steps of a second", seconds, err, batches)
	}
}

// TestFitTime: the settings of a short training stay, and one with as many examples as take years
// has the smallest dimension and one epoch.
func TestFitTime(t *testing.T) {
	engine, job := pacedJob(t)
	job.Settings.Dim, job.Settings.Epochs, job.Settings.Cooldown = 512, 60, .5
	data := *job.Data
	long, constant := job, job
	long.Data, constant.Data = &data, &data
	data.Count = 1e12
	constant.Settings.Cooldown = 0
	both := kge.Fit{Dim: true, Epochs: true}
	for name, c := range map[string]struct {
		job         kge.Job
		seconds     float64
		fit         kge.Fit
		dim, epochs int
	}{
		"short":          {job, 1000, both, 512, 60},
		"long":           {long, 300, both, 64, 1},
		"long, dim":      {long, 300, kge.Fit{Dim: true}, 64, 60},
		"long, epochs":   {long, 300, kge.Fit{Epochs: true}, 512, 1},
		"long, no time":  {long, 1, both, 512, 60},
		"no cooldown":    {constant, 300, both, 64, 60},
		"nothing to fit": {long, 300, kge.Fit{}, 512, 60},
	} {
		s, err := kge.FitTime(t.Context(), engine, c.job, c.seconds, c.fit)
		if err != nil || s.Dim != c.dim || s.Epochs != c.epochs {
			t.Errorf("%s: d %d, %d epochs, want %d, %d; %v", name, s.Dim, s.Epochs, c.dim, c.epochs, err)
		}
	}
	long.Settings.Dim = 600
	for dim, m := range map[int]kge.Member{
		75: {Structure: structure.MustParse("1,0,0;0,2,0;0,0,3")}, 74: {Form: form.RotatE},
		100: {Form: form.Block(100)}, 600: {Form: form.Block(600)},
	} {
		m.LearningRate = .1
		long.Members = []kge.Member{m}
		if s, err := kge.FitTime(t.Context(), engine, long, 300, both); err != nil || s.Dim != dim {
			t.Errorf("%v %v: d %d, want %d; %v", m.Form, m.Structure, s.Dim, dim, err)
		}
	}
	perDim := func(dim int) float64 { return float64(dim) } // seconds of an epoch
	for _, c := range []struct {
		dim, step int
		seconds   float64
		want      int
	}{
		{512, 4, 0, 64}, {512, 4, 127, 64}, {512, 4, 129, 128}, {512, 4, 511, 256}, {512, 4, 513, 512},
		{2000, 4, 249, 248}, {2000, 4, 0, 124}, {255, 3, 0, 126}, {100, 4, 0, 100},
		{1000, 400, 0, 400},
	} {
		if dim := kge.FitDim(c.dim, c.step, c.seconds, perDim); dim != c.want {
			t.Errorf("epochs of d %d in d seconds each, of %v s: d %d, want %d",
				c.dim, c.seconds, dim, c.want)
		}
	}
}

// following returns a training whose epochs follow a deadline.
func following(d time.Duration) kge.Job {
	j := job(1, func(s *kge.Settings) { s.Cooldown, s.Epochs, s.ValidateEvery = .5, 1e5, 3 })
	j.Deadline = within(d)
	j.Deadline.Ranked, j.Deadline.Epochs = 0, j.Settings.Epochs
	return j
}

// TestEpochsFollowTheDeadline: the losses are those of a training that begins with the number of
// epochs that was chosen.
func TestEpochsFollowTheDeadline(t *testing.T) {
	engine := cpu.New(1)
	defer engine.Close()
	j := following(time.Second)
	got, err := kge.Train(t.Context(), engine, j)
	if err != nil || got.Epochs >= j.Settings.Epochs {
		t.Fatalf("%d epochs, %v", got.Epochs, err)
	}
	j.Settings.Epochs, j.Deadline = got.Epochs, nil
	want, err := kge.Train(t.Context(), engine, j)
	if err != nil {
		t.Fatal(err)
	}
	losses, all := got.Results[0].Loss, want.Results[0].Loss
	if len(losses) < 4 || !slices.Equal(losses, all[:len(losses)]) {
		t.Errorf("%d losses of %d epochs differ from those of a training without a deadline",
			len(losses), got.Epochs)
	}
}

// TestResumedEpochs: a resumed training keeps the number of epochs of its checkpoint, whatever time
// it has.
func TestResumedEpochs(t *testing.T) {
	engine := cpu.New(1)
	defer engine.Close()
	j := following(time.Second)
	j.Checkpoint = &kge.Checkpoint{File: filepath.Join(t.TempDir(), "training")}
	ctx, cancel := context.WithCancel(t.Context())
	j.OnEpoch = func(p kge.Progress) {
		if p.Epoch == 5 {
			cancel()
		}
	}
	if _, err := kge.Train(ctx, engine, j); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	saved, err := kge.SavedSettings(j.Checkpoint.File)
	if err != nil || saved.Epochs >= j.Settings.Epochs {
		t.Fatalf("a checkpoint of %d epochs, %v", saved.Epochs, err)
	}
	j.OnEpoch, j.Deadline.End = nil, time.Now().Add(time.Hour)
	again, err := kge.Train(t.Context(), engine, j)
	if err != nil || again.Resumed == 0 || !again.Complete || again.Epochs != saved.Epochs {
		t.Errorf("%+v, %v, want %d epochs", again, err, saved.Epochs)
	}
}
