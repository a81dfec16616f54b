package kge_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// script returns an engine whose losses, ranks and divergence depend on epoch and member.
func script(numbers []int32) *enginetest.Scripted {
	at := func(epoch, member int) int32 { return numbers[(epoch*7+member)%len(numbers)] }
	return &enginetest.Scripted{
		Loss: func(epoch, member int) float64 {
			if at(epoch, member) == 9 && epoch > 3 {
				return math.NaN()
			}
			return 1 / float64(epoch+member)
		},
		Better: at,
		LastNumber: func(epoch, member int) float32 {
			if at(epoch, member) == 8 && epoch > 5 {
				return float32(math.Inf(1))
			}
			return 0
		},
		Seconds: func(int) []float64 { return []float64{1} },
	}
}

// untimed returns a report without what differs from run to run.
func untimed(r *kge.Report) kge.Report {
	return kge.Report{Results: r.Results, Complete: r.Complete}
}

var sameErrors = cmp.Comparer(func(a, b error) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Error() == b.Error()
})

// TestInterruptedTrainingResumes checks that a training that is interrupted in any epochs has
// the results of an uninterrupted one.
func TestInterruptedTrainingResumes(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Int32Range(0, 9), 1, 40).Draw(t, "script")
		j := job(rapid.IntRange(1, 3).Draw(t, "members"), func(s *kge.Settings) {
			s.Epochs, s.Decay = 12, 0.9
			s.Batch = 1000 // an epoch is a step, as in the state of the scripted engine
			if s.ValidateEvery = rapid.IntRange(0, 3).Draw(t, "every"); s.ValidateEvery > 0 {
				s.Patience, s.PlateauPatience, s.PlateauFactor = rapid.IntRange(0, 3).Draw(t, "patience"), 1,
					0.5
			}
		})
		alone := script(numbers)
		want, err := kge.Train(context.Background(), alone, j)
		require.NoError(t, err)
		if rapid.Bool().Draw(t, "large") {
			defer kge.KeepNone()()
		}
		file := filepath.Join(dir, "training")
		_, _ = os.Remove(file), os.Remove(file+".next")
		pieces := script(numbers)
		stops := rapid.SliceOfN(rapid.IntRange(1, 4), 0, 12).Draw(t, "pieces")
		for _, epochs := range stops {
			ctx, cancel := context.WithCancel(context.Background())
			piece, done := j, 0
			piece.Checkpoint = &kge.Checkpoint{File: file}
			piece.OnEpoch = func(kge.Progress) {
				if done++; done == epochs {
					cancel()
				}
			}
			_, err := kge.Train(ctx, pieces, piece)
			cancel()
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			pieces.Epochs = 0 // another process
		}
		j.Checkpoint = &kge.Checkpoint{File: file}
		got, err := kge.Train(context.Background(), pieces, j)
		require.NoError(t, err)
		if difference := cmp.Diff(untimed(want), untimed(got), sameErrors,
			comparables); difference != "" {
			t.Errorf("in %d pieces other than at once (-want +got):\n%s", len(stops)+1, difference)
		}
		ends := got.Timing.Epochs
		if len(ends) != len(want.Timing.Epochs) || !slices.IsSorted(ends) ||
			ends[len(ends)-1] != got.Timing.Train {
			t.Errorf("epochs ended after %v s, want %d and the last after %v s", ends,
				len(want.Timing.Epochs), got.Timing.Train)
		}
		if len(alone.Rates) > 0 &&
			!cmp.Equal(pieces.Rates[len(pieces.Rates)-1:], alone.Rates[len(alone.Rates)-1:]) {
			t.Errorf("the last learning rates are %v, want %v", pieces.Rates[len(pieces.Rates)-1],
				alone.Rates[len(alone.Rates)-1])
		}
	})
}

// TestACompleteCheckpoint checks that a complete training is reported again without training
// or writing.
func TestACompleteCheckpoint(t *testing.T) {
	j := job(2, func(s *kge.Settings) { s.ValidateEvery = 2 })
	j.Checkpoint = &kge.Checkpoint{File: filepath.Join(t.TempDir(), "training")}
	first := mustTrain(t, script([]int32{3, 1, 4}), j)
	before, err := os.Stat(j.Checkpoint.File)
	require.NoError(t, err)
	engine := script([]int32{3, 1, 4})
	again := mustTrain(t, engine, j)
	if len(engine.Batches) != 0 || !again.Complete {
		t.Errorf("%d epochs trained, complete %v", len(engine.Batches), again.Complete)
	}
	if difference := cmp.Diff(first.Results, again.Results, sameErrors,
		comparables); difference != "" {
		t.Errorf("the report differs (-first +again):\n%s", difference)
	}
	if first.Timing.PerStep != again.Timing.PerStep || again.Timing.Train != first.Timing.Train {
		t.Errorf("timing %+v, first %+v", again.Timing, first.Timing)
	}
	if after, err := os.Stat(j.Checkpoint.File); err != nil || after.ModTime() != before.ModTime() {
		t.Errorf("the file was written again (%v)", err)
	}
}

// TestInterruptedInsideAnEpoch checks that the result is that of the last complete epoch or,
// before the first epoch or without a checkpoint, of the last step.
func TestInterruptedInsideAnEpoch(t *testing.T) {
	defer kge.CopyWithin(time.Hour)()
	for steps, want := range map[int]struct{ kept, plain *kge.Position }{
		0: {},
		2: {&kge.Position{Steps: 2, Interrupted: true}, &kge.Position{Steps: 2, Interrupted: true}},
		5: {&kge.Position{Epoch: 1, Interrupted: true}, &kge.Position{Epoch: 1, Interrupted: true}},
		13: {&kge.Position{Epoch: 2, Interrupted: true},
			&kge.Position{Epoch: 2, Steps: 13, Interrupted: true}},
	} {
		for _, c := range []*kge.Checkpoint{nil,
			{File: filepath.Join(t.TempDir(), "training"), Every: time.Hour}} {
			j := job(1, func(s *kge.Settings) { s.Batch = 2 })
			j.Checkpoint = c
			ctx, cancel := context.WithCancel(t.Context())
			report, err := kge.Train(ctx,
				&stepwise{Scripted: &enginetest.Scripted{}, left: steps, cancel: cancel}, j)
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("after %d steps: %v", steps, err)
			}
			reached := want.kept
			if c == nil {
				reached = want.plain
			}
			if reached == nil {
				if report != nil {
					t.Errorf("after %d steps: there is a report", steps)
				}
				continue
			}
			r := report.Results[0]
			if got := r.Model.Position; *got != *reached || len(r.Loss) != reached.Epoch || report.Complete {
				t.Errorf("after %d steps the model is of %+v, want %+v; %d losses", steps, *got, *reached,
					len(r.Loss))
			}
			if want := float32(5 * reached.Epoch); c != nil && reached.Epoch > 0 &&
				r.Model.Entities[0] != want {
				t.Errorf("after %d steps the numbers are of step %v, want %v", steps, r.Model.Entities[0], want)
			}
		}
	}
}

// TestALargeTrainingIsInItsFile checks that an interrupted training that is too large to copy
// has the results of the last epoch that was written. The first epoch is written at once.
func TestALargeTrainingIsInItsFile(t *testing.T) {
	defer kge.KeepNone()()
	j := job(1, func(s *kge.Settings) { s.Batch = 2 })
	j.Checkpoint = &kge.Checkpoint{File: filepath.Join(t.TempDir(), "training"), Every: time.Hour}
	ctx, cancel := context.WithCancel(t.Context())
	report, err := kge.Train(ctx,
		&stepwise{Scripted: &enginetest.Scripted{}, left: 13, cancel: cancel}, j)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if r := report.Results[0]; *r.Model.Position != (kge.Position{Epoch: 1, Interrupted: true}) ||
		r.Model.Entities[0] != 5 || len(r.Loss) != 1 {
		t.Errorf("the model is of %+v and step %v, with %d losses", *r.Model.Position,
			r.Model.Entities[0], len(r.Loss))
	}
	if report, err = kge.Train(t.Context(), &stepwise{Scripted: &enginetest.Scripted{}, left: 1000},
		j); err != nil || report.Resumed != 1 || !report.Complete {
		t.Errorf("%v: %+v", err, report)
	}
}

// TestCopiesWait checks that slow copies are not made after each epoch. An interrupted training
// has the results of the last copied epoch, and resumes to the same results. A second copy has the
// sizes of the state to restore.
func TestCopiesWait(t *testing.T) {
	defer kge.CopyWithin(0)()
	j := job(1, func(s *kge.Settings) { s.Batch = 2 })
	want, err := kge.Train(t.Context(),
		&slow{stepwise: &stepwise{Scripted: &enginetest.Scripted{}, left: 1000}}, j)
	require.NoError(t, err)
	j.Checkpoint = &kge.Checkpoint{File: filepath.Join(t.TempDir(), "training"), Every: time.Hour}
	ctx, cancel := context.WithCancel(t.Context())
	interrupted := &slow{stepwise: &stepwise{Scripted: &enginetest.Scripted{}, left: 13,
		cancel: cancel}}
	report, err := kge.Train(ctx, interrupted, j)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if r := report.Results[0]; *r.Model.Position != (kge.Position{Epoch: 1, Interrupted: true}) ||
		r.Model.Entities[0] != 5 || len(r.Loss) != 1 || interrupted.copies != 2 {
		t.Errorf("the model is of %+v and step %v, with %d losses, after %d copies", *r.Model.Position,
			r.Model.Entities[0], len(r.Loss), interrupted.copies)
	}
	report, err = kge.Train(t.Context(),
		&slow{stepwise: &stepwise{Scripted: &enginetest.Scripted{}, left: 1000}}, j)
	if err != nil || report.Resumed != 1 || !report.Complete {
		t.Fatalf("%v: %+v", err, report)
	}
	if difference := cmp.Diff(want.Results[0].Model.Tables,
		report.Results[0].Model.Tables); difference != "" {
		t.Error(difference)
	}
}

// slow takes long to copy its state.
type slow struct {
	*stepwise
	copies int
}

func (e *slow) NewPopulation(d *kge.Data, s kge.Settings, members []kge.Member) (kge.Population,
	error) {
	_, err := e.stepwise.NewPopulation(d, s, members)
	return e, err
}

func (e *slow) State() (kge.State, error) {
	e.copies++
	time.Sleep(50 * time.Millisecond)
	return e.stepwise.State()
}

// stepwise takes the steps of an epoch one by one and is interrupted after some.
type stepwise struct {
	*enginetest.Scripted
	left   int
	cancel func()
	waits  bool // for the end of the context, after cancel
}

func (e *stepwise) NewPopulation(d *kge.Data, s kge.Settings, members []kge.Member) (kge.Population,
	error) {
	_, err := e.Scripted.NewPopulation(d, s, members)
	return e, err
}

func (e *stepwise) Epoch(ctx context.Context, batches kge.Batches, rates []float64) (kge.Epoch,
	error) {
	for range batches.Count {
		if e.left == 0 {
			e.cancel()
			if e.waits {
				<-ctx.Done()
			}
			return kge.Epoch{}, ctx.Err()
		}
		e.left--
		if _, err := e.Scripted.Epoch(ctx, kge.Batches{}, rates); err != nil {
			return kge.Epoch{}, err
		}
	}
	return kge.Epoch{Loss: make([]float64, len(rates))}, nil
}

func TestTimeIsUp(t *testing.T) {
	train := func(until time.Time, engine *enginetest.Scripted, file string) *kge.Report {
		j := job(1, func(*kge.Settings) {})
		j.Checkpoint = &kge.Checkpoint{File: file, Until: until}
		return mustTrain(t, engine, j)
	}
	file := filepath.Join(t.TempDir(), "training")
	if r := train(time.Now().Add(-time.Second), &enginetest.Scripted{}, file); r.Complete ||
		len(r.Results[0].Loss) != 0 {
		t.Errorf("with no time: complete %v after %d epochs", r.Complete, len(r.Results[0].Loss))
	}
	slow := &enginetest.Scripted{Loss: func(int, int) float64 {
		time.Sleep(20 * time.Millisecond)
		return 1
	}}
	if r := train(time.Now().Add(30*time.Millisecond), slow, file); r.Complete ||
		len(r.Results[0].Loss) == 0 || len(r.Results[0].Loss) == 6 || r.Saved != len(r.Results[0].Loss) {
		t.Errorf("with time for an epoch: complete %v after %d of 6 epochs, %d saved", r.Complete,
			len(r.Results[0].Loss), r.Saved)
	}
	if r := train(time.Now().Add(time.Hour), &enginetest.Scripted{}, file); !r.Complete ||
		len(r.Results[0].Loss) != 6 {
		t.Errorf("with time for all: complete %v after %d epochs", r.Complete, len(r.Results[0].Loss))
	}
}

func TestCheckpointOfAnotherTraining(t *testing.T) {
	file := filepath.Join(t.TempDir(), "training")
	train := func(change func(*kge.Job)) error {
		j := job(1, func(*kge.Settings) {})
		change(&j)
		j.Checkpoint = &kge.Checkpoint{File: file}
		_, err := kge.Train(t.Context(), &enginetest.Scripted{}, j)
		return err
	}
	require.NoError(t, train(func(*kge.Job) {}))
	g := enginetest.SmallGraph()
	g.Valid = nil
	other := completion.Data(g)
	for says, change := range map[string]func(*kge.Job){
		"epochs 6 there, 7 here":          func(j *kge.Job) { j.Settings.Epochs = 7 },
		"max-norm not set there, 1 here":  func(j *kge.Job) { j.Settings.MaxNorm = 1 },
		"members 1 seed 0 there, 99 here": func(j *kge.Job) { j.Members[0].Seed = 99 },
		"members 1 n3 0 there, 0.5 here":  func(j *kge.Job) { j.Members[0].N3 = 0.5 },
		"the data differ":                 func(j *kge.Job) { j.Data = other },
		"epochs 6 there, 9 here; the data diff": func(j *kge.Job) {
			j.Data, j.Settings.Epochs = other,
				9
		},
		"batch 3 there, 4 here; dim 4 there, ": func(j *kge.Job) {
			j.Settings.Dim, j.Settings.Batch = 8,
				4
		},
	} {
		err := train(change)
		if !errors.Is(err, kge.ErrOtherTraining) {
			t.Errorf("%q: error %v, want ErrOtherTraining", says, err)
			continue
		}
		require.Error(t, err, says, file)
	}
	j := job(1, func(*kge.Settings) {})
	j.Checkpoint = &kge.Checkpoint{File: file}
	_, err := kge.Train(t.Context(), elsewhere{&enginetest.Scripted{}}, j)
	require.Error(t, err, "has engine scripted none, not scripted elsewhere", file)
	if !errors.Is(err, kge.ErrOtherTraining) || !errors.Is(err, kge.ErrOtherEngine) {
		t.Errorf("error %v, want ErrOtherEngine", err)
	}
	j.Checkpoint.AnyEngine = true
	if report, err := kge.Train(t.Context(), elsewhere{&enginetest.Scripted{}}, j); err != nil ||
		report.Resumed != 6 {
		t.Errorf("on any engine: %+v, %v", report, err)
	}
}

// elsewhere is an engine with the backend of another machine.
type elsewhere struct{ *enginetest.Scripted }

func (elsewhere) Backend(kge.Precision) string { return "elsewhere" }

// TestDamagedCheckpoints checks that a training resumes from the previous file if one is damaged,
// and that it is an error if both are.
func TestDamagedCheckpoints(t *testing.T) {
	file := filepath.Join(t.TempDir(), "training")
	j := job(2, func(s *kge.Settings) { s.ValidateEvery = 2 })
	want := mustTrain(t, script([]int32{3, 1, 4}), j)
	j.Checkpoint = &kge.Checkpoint{File: file}
	mustTrain(t, script([]int32{3, 1, 4}), j)
	all, err := filepath.Glob(file + "*")
	if err != nil || len(all) != 2 {
		t.Fatalf("the checkpoints %v, %v; want two generations", all, err)
	}
	require.NoError(t, os.Truncate(file, 100))
	engine := script([]int32{3, 1, 4})
	got := mustTrain(t, engine, j)
	if difference := cmp.Diff(untimed(want), untimed(got), sameErrors,
		comparables); difference != "" || len(engine.Batches) == 0 || len(engine.Batches) == 6 {
		t.Errorf("from the checkpoint before, with %d epochs trained (-want +got):\n%s",
			len(engine.Batches), difference)
	}
	for _, path := range all {
		require.NoError(t, os.Truncate(path, 100))
	}
	_, err = kge.Train(t.Context(), &enginetest.Scripted{}, j)
	require.Error(t, err, file+": the file is damaged", "remove it")
}

// TestCheckpointThatCannotBeWritten checks that a failure to write ends the training, or goes to
// OnError each time.
func TestCheckpointThatCannotBeWritten(t *testing.T) {
	j := job(1, func(*kge.Settings) {})
	j.Checkpoint = &kge.Checkpoint{File: filepath.Join(t.TempDir(), "nowhere", "training")}
	_, err := kge.Train(t.Context(), &enginetest.Scripted{}, j)
	require.Error(t, err, "write checkpoint", j.Checkpoint.File)
	told := 0
	j.Checkpoint.OnError = func(err error) {
		require.Error(t, err, "write checkpoint", j.Checkpoint.File)
		told++
	}
	j.Settings.Epochs = 7
	ctx, cancel := context.WithCancel(t.Context())
	j.OnEpoch = func(p kge.Progress) {
		if p.Epoch == 5 {
			cancel()
		}
	}
	report, err := kge.Train(ctx, &enginetest.Scripted{}, j)
	require.Error(t, err, "write checkpoint", context.Canceled.Error())
	if told != 5 || report.Results[0].Model.Position.Epoch != 5 {
		t.Errorf("told %d times; the report is of %+v", told, report.Results[0].Model.Position)
	}
}

// TestCheckpointsAreNotWrittenTooOften checks that a training shorter than Every writes none.
func TestCheckpointsAreNotWrittenTooOften(t *testing.T) {
	for every, want := range map[time.Duration]bool{0: true, time.Hour: false} {
		j := job(1, func(*kge.Settings) {})
		j.Checkpoint = &kge.Checkpoint{File: filepath.Join(t.TempDir(), "training"), Every: every}
		seen := false
		j.OnEpoch = func(p kge.Progress) {
			if _, err := os.Stat(j.Checkpoint.File); err == nil {
				seen = true
			}
		}
		mustTrain(t, &enginetest.Scripted{}, j)
		if seen != want {
			t.Errorf("every %v: there is a checkpoint on the way: %v", every, seen)
		}
		if _, err := os.Stat(j.Checkpoint.File); (err == nil) != want {
			t.Errorf("every %v: at the end: %v", every, err)
		}
	}
}

// TestSavingIsMeasured checks that a training with a deadline keeps the time for its model that the
// last checkpoint took, if that is longer than predicted.
func TestSavingIsMeasured(t *testing.T) {
	file := filepath.Join(t.TempDir(), "training")
	for _, c := range []struct{ predicted, before float64 }{{0, 0}, {1e6, 1e6}, {0, 1e6}, {1e6, 2e6}} {
		saving, took, err := kge.SavingAfterWrite(file, c.predicted, c.before)
		if want := max(took, c.predicted); err != nil || took <= 0 || saving != want {
			t.Errorf("%+v: %v seconds for the model, want %v (%v)", c, saving, want, err)
		}
	}
}
