package kge_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/killtest"
	"github.com/autoblm/autoblm-go/internal/require"
)

// bucketed returns a training in buckets on a graph whose rows take several pages.
func bucketed(buckets int) kge.Job {
	g := enginetest.RandomGraph(1200, 3, 4000, 7)
	g.Valid = g.Train[:50]
	return jobOn(g, 1, func(s *kge.Settings) {
		s.Dim, s.Batch, s.Epochs, s.SampledSoftmax, s.Buckets = 20, 100, 4, 60, buckets
	})
}

func trained(t *testing.T, engine kge.Engine, j kge.Job) *kge.Model {
	t.Helper()
	report, err := kge.Train(t.Context(), engine, j)
	require.NoError(t, err)
	return report.Results[0].Model
}

// TestTablesInFiles checks that tables in files change no number, with and without buckets, and that
// no file is left.
func TestTablesInFiles(t *testing.T) {
	for name, change := range map[string]func(*kge.Settings){
		"sampled":   func(*kge.Settings) {},
		"validated": func(s *kge.Settings) { s.ValidateEvery = 2 },
		"bfloat16":  func(s *kge.Settings) { s.Precision, s.ValidateEvery = kge.Bfloat16, 2 },
		"all":       func(s *kge.Settings) { s.SampledSoftmax, s.Buckets = 0, 0 },
		"adam":      func(s *kge.Settings) { s.Optimizer, s.Buckets = kge.Adam, 0 },
	} {
		for _, buckets := range []int{0, 1, 9} {
			j := bucketed(buckets)
			change(&j.Settings)
			dir := t.TempDir()
			engine := cpu.New(1)
			if _, err := engine.Precision(j.Settings.Precision, form.Bilinear, 1, 20); err != nil {
				continue // this processor has no fast products in bfloat16
			}
			want, got := trained(t, engine, j), trained(t, engine.WithTables(dir), j)
			if !reflect.DeepEqual(got.Tables, want.Tables) {
				t.Errorf("%s, %d buckets: tables in files give another model", name, buckets)
			}
			if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
				t.Errorf("%v left, %v", left, err)
			}
		}
	}
	one, none := trained(t, cpu.New(2), bucketed(1)), trained(t, cpu.New(1), bucketed(0))
	if !reflect.DeepEqual(one.Tables, none.Tables) {
		t.Error("one bucket differs from no buckets")
	}
	if nine := trained(t, cpu.New(1), bucketed(9)); reflect.DeepEqual(nine.Tables, none.Tables) {
		t.Error("nine buckets change nothing")
	}
}

// TestKilledTraining checks that a training with tables in files resumes after kills with the model
// of one that was not killed, and that a damaged checkpoint gives way to the one before, or is
// refused.
func TestKilledTraining(t *testing.T) {
	defer kge.KeepNone()()
	train := func(folder string) (*kge.Report, error) {
		j := bucketed(9)
		j.Settings.Epochs, j.Settings.ValidateEvery = 12, 2
		j.Checkpoint = &kge.Checkpoint{File: filepath.Join(folder, "training")}
		return kge.Train(t.Context(), cpu.New(1).WithTables(folder), j)
	}
	killtest.Run(t, 5, func(folder string) error {
		if _, err := train(folder); err != nil {
			return err
		}
		for _, name := range []string{"training", "training.before"} { // or the next has no work
			if err := os.Remove(filepath.Join(folder, name)); err != nil {
				return err
			}
		}
		return nil
	}, func(folder string) {
		report, err := train(folder)
		require.NoError(t, err)
		want, err := train(t.TempDir())
		require.NoError(t, err)
		if !reflect.DeepEqual(report.Results[0].Model.Tables, want.Results[0].Model.Tables) {
			t.Error("a killed training resumes with another model")
		}
		files, err := filepath.Glob(filepath.Join(folder, "table-*"))
		if len(files) > 0 || err != nil {
			t.Errorf("%v left, %v", files, err)
		}
		resumesFromDamage(t, folder, train)
	})
}

// TestInterruptedTables checks that an interrupted training with tables in files ends without a
// model, that it writes a checkpoint only if there is none, and that it resumes to the model of one
// that was not interrupted.
func TestInterruptedTables(t *testing.T) {
	job := func() kge.Job {
		j := bucketed(9)
		j.Settings.ValidateEvery = 1
		return j
	}
	want := trained(t, cpu.New(1).WithTables(t.TempDir()), job())
	for name, epoch := range map[string]int{
		"in the first epoch": 1, "in the first validation": 0, "in the third epoch": 3,
	} {
		j, folder := job(), t.TempDir()
		j.Checkpoint = &kge.Checkpoint{File: filepath.Join(folder, "training"), Every: time.Hour}
		engine, resumed := cpu.New(1).WithTables(folder), j
		ctx, cancel := context.WithCancel(t.Context())
		var before []byte
		interrupt := func() {
			before, _ = os.ReadFile(j.Checkpoint.File)
			cancel()
		}
		if epoch == 0 {
			j.OnStep = func(p kge.Progress) {
				if p.Validating {
					interrupt()
				}
			}
		} else {
			j.Data = interruptedIn(j.Data, epoch, interrupt)
		}
		report, err := kge.Train(ctx, engine, j)
		if !errors.Is(err, context.Canceled) || report == nil || report.Results[0].Model != nil {
			t.Fatalf("interrupted %s: %v, %+v", name, err, report)
		}
		if saved := max(0, min(epoch-1, 1)); report.Saved != saved { // the first epoch is written
			t.Errorf("interrupted %s: the report has a checkpoint of epoch %d, not %d", name,
				report.Saved, saved)
		}
		after, err := os.ReadFile(j.Checkpoint.File)
		require.NoError(t, err)
		if before != nil && !bytes.Equal(before, after) {
			t.Errorf("interrupted %s: the checkpoint was written again", name)
		}
		if got := trained(t, engine, resumed); !reflect.DeepEqual(got.Tables, want.Tables) {
			t.Errorf("interrupted %s, it resumes to another model", name)
		}
	}
}

// TestInterruptedFirstEpoch checks that a training in memory keeps the steps of its first epoch when
// it is interrupted, and resumes to the model of one that was not interrupted.
func TestInterruptedFirstEpoch(t *testing.T) {
	job := func() kge.Job {
		j := bucketed(0)
		j.Settings.ValidateEvery = 1
		return j
	}
	want := trained(t, cpu.New(1), job())
	for name, steps := range map[string]int{"in the epoch": 0, "in the validation": 40} {
		j := job()
		j.Checkpoint = &kge.Checkpoint{
			File: filepath.Join(t.TempDir(), "training"), Every: time.Hour,
		}
		resumed := j
		ctx, cancel := context.WithCancel(t.Context())
		if steps == 0 {
			j.Data = interruptedIn(j.Data, 1, cancel)
		} else {
			j.OnStep = func(p kge.Progress) {
				if p.Validating {
					cancel()
				}
			}
		}
		report, err := kge.Train(ctx, cpu.New(1), j)
		if !errors.Is(err, context.Canceled) || report == nil {
			t.Fatalf("interrupted %s: %v", name, err)
		}
		position := report.Results[0].Model.Position
		if position.Steps == 0 || steps > 0 && position.Steps != steps {
			t.Errorf("interrupted %s: the model is of %+v", name, *position)
		}
		var left int // steps of the first epoch
		resumed.Data = countingSteps(resumed.Data, 1, &left)
		if got := trained(t, cpu.New(1), resumed); !reflect.DeepEqual(got.Tables, want.Tables) {
			t.Errorf("interrupted %s, it resumes to another model", name)
		}
		if left != 40-position.Steps {
			t.Errorf("interrupted %s after %d steps, it took %d more in the first epoch", name,
				position.Steps, left)
		}
	}
}

// countingSteps returns data that count the batches made of an epoch.
func countingSteps(d *kge.Data, epoch int, steps *int) *kge.Data {
	counting := *d
	counting.Batches = func(s kge.Settings, e int) kge.Batches {
		batches := d.Batches(s, e)
		make := batches.Make
		batches.Make = func(i int, memory []kge.Example) []kge.Example {
			if e == epoch {
				*steps++
			}
			return make(i, memory)
		}
		return batches
	}
	return &counting
}

// interruptedIn returns data that call a function before the sixth step of an epoch.
func interruptedIn(d *kge.Data, epoch int, interrupt func()) *kge.Data {
	interrupted := *d
	interrupted.Batches = func(s kge.Settings, e int) kge.Batches {
		batches := d.Batches(s, e)
		make := batches.Make
		batches.Make = func(i int, memory []kge.Example) []kge.Example {
			if e == epoch && i == 5 {
				interrupt()
			}
			return make(i, memory)
		}
		return batches
	}
	return &interrupted
}

// resumesFromDamage damages the checkpoint, and then the one before.
func resumesFromDamage(t *testing.T, folder string, train func(string) (*kge.Report, error)) {
	t.Helper()
	file := filepath.Join(folder, "training")
	next := file + ".next" // without file if the kill was between the renames of the last checkpoint
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, os.Rename(next, file))
	}
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-5] ^= 1
	require.NoError(t, os.WriteFile(file, damaged, 0o600))
	before, err := train(folder)
	if err != nil || !before.Complete {
		t.Fatalf("with a damaged checkpoint: %v", err)
	}
	for _, name := range []string{file, file + ".before"} {
		require.NoError(t, os.WriteFile(name, damaged, 0o600))
	}
	_, err = train(folder)
	require.Error(t, err, "damaged")
	for _, name := range []string{file, file + ".before"} {
		require.NoError(t, os.Remove(name))
	}
}

// TestBucketSettings checks the errors of buckets that cannot train.
func TestBucketSettings(t *testing.T) {
	for want, change := range map[string]func(*kge.Settings){
		"set sampled-softmax":          func(s *kge.Settings) { s.SampledSoftmax = 0 },
		"buckets is 9 with adam":       func(s *kge.Settings) { s.Optimizer = kge.Adam },
		"use fewer buckets":            func(s *kge.Settings) { s.Buckets = 100 },
		"make a table in /nowhere: no": func(s *kge.Settings) { s.Buckets = 9 },
	} {
		j := bucketed(9)
		change(&j.Settings)
		_, err := kge.Train(t.Context(), cpu.New(1).WithTables("/nowhere"), j)
		require.Error(t, err, want)
	}
}

// TestStartOfTablesNeedsMemory checks that embeddings to begin with, which are copied into memory, are
// refused with tables in files that are larger.
func TestStartOfTablesNeedsMemory(t *testing.T) {
	j := job(1, func(s *kge.Settings) { s.Dim = 1 << 20 })
	data := *j.Data
	data.Entities = make([]string, 1e7)
	j.Data, j.Start = &data, kge.NewStart(enginetest.SmallModel().LabelledTables(), 1)
	_, err := kge.Train(t.Context(), cpu.New(1).WithTables(t.TempDir()), j)
	require.Error(t, err, "dim 1048576 on 10,000,000 entities", "memory")
}
