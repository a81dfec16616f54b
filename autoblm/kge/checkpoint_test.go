package kge_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// script gives losses, ranks and a divergence that depend on the epoch and the member.
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
		Spoilt: func(epoch, member int) float32 {
			if at(epoch, member) == 8 && epoch > 5 {
				return float32(math.Inf(1))
			}
			return 0
		},
		Seconds: func(int) []float64 { return []float64{1} },
	}
}

// untimed is a report without what differs from run to run.
func untimed(r *kge.Report) kge.Report {
	return kge.Report{Results: r.Results, Complete: r.Complete}
}

var sameErrors = cmp.Comparer(func(a, b error) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Error() == b.Error()
})

// TestInterruptedTrainingGoesOn: whichever epochs a training is interrupted in, it
// comes to what it comes to when it is left alone.
func TestInterruptedTrainingGoesOn(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Int32Range(0, 9), 1, 40).Draw(t, "script")
		j := job(rapid.IntRange(1, 3).Draw(t, "members"), func(s *kge.Settings) {
			s.Epochs, s.Decay = 12, 0.9
			if s.ValidateEvery = rapid.IntRange(0, 3).Draw(t, "every"); s.ValidateEvery > 0 {
				s.Patience, s.PlateauPatience, s.PlateauFactor = rapid.IntRange(0, 3).Draw(t, "patience"), 1, 0.5
			}
		})
		alone := script(numbers)
		want, err := kge.Train(context.Background(), alone, j)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "training")
		_ = os.Remove(file)
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
		if err != nil {
			t.Fatal(err)
		}
		if difference := cmp.Diff(untimed(want), untimed(got), sameErrors, comparables); difference != "" {
			t.Errorf("in %d pieces other than at once (-want +got):\n%s", len(stops)+1, difference)
		}
		if len(alone.Rates) > 0 && !cmp.Equal(pieces.Rates[len(pieces.Rates)-1:], alone.Rates[len(alone.Rates)-1:]) {
			t.Errorf("the last learning rates are %v, want %v", pieces.Rates[len(pieces.Rates)-1], alone.Rates[len(alone.Rates)-1])
		}
	})
}

// TestACompleteCheckpoint: its report comes again, and nothing is trained or written.
func TestACompleteCheckpoint(t *testing.T) {
	j := job(2, func(s *kge.Settings) { s.ValidateEvery = 2 })
	j.Checkpoint = &kge.Checkpoint{File: filepath.Join(t.TempDir(), "training")}
	first := mustTrain(t, script([]int32{3, 1, 4}), j)
	before, err := os.Stat(j.Checkpoint.File)
	if err != nil {
		t.Fatal(err)
	}
	engine := script([]int32{3, 1, 4})
	again := mustTrain(t, engine, j)
	if len(engine.Batches) != 0 || !again.Complete {
		t.Errorf("%d epochs trained, complete %v", len(engine.Batches), again.Complete)
	}
	if difference := cmp.Diff(first.Results, again.Results, sameErrors, comparables); difference != "" {
		t.Errorf("the report differs (-first +again):\n%s", difference)
	}
	if first.Timing.PerStep != again.Timing.PerStep || again.Timing.Train != first.Timing.Train {
		t.Errorf("timing %+v, first %+v", again.Timing, first.Timing)
	}
	if after, err := os.Stat(j.Checkpoint.File); err != nil || after.ModTime() != before.ModTime() {
		t.Errorf("the file was written again (%v)", err)
	}
}

func TestTimeIsUp(t *testing.T) {
	train := func(until time.Time, engine *enginetest.Scripted, file string) *kge.Report {
		j := job(1, func(*kge.Settings) {})
		j.Checkpoint = &kge.Checkpoint{File: file, Until: until}
		return mustTrain(t, engine, j)
	}
	file := filepath.Join(t.TempDir(), "training")
	if r := train(time.Now().Add(-time.Second), &enginetest.Scripted{}, file); r.Complete || len(r.Results[0].Loss) != 0 {
		t.Errorf("with no time: complete %v after %d epochs", r.Complete, len(r.Results[0].Loss))
	}
	slow := &enginetest.Scripted{Loss: func(int, int) float64 { time.Sleep(20 * time.Millisecond); return 1 }}
	if r := train(time.Now().Add(30*time.Millisecond), slow, file); r.Complete || len(r.Results[0].Loss) == 0 || len(r.Results[0].Loss) == 6 {
		t.Errorf("with time for an epoch: complete %v after %d of 6 epochs", r.Complete, len(r.Results[0].Loss))
	}
	if r := train(time.Now().Add(time.Hour), &enginetest.Scripted{}, file); !r.Complete || len(r.Results[0].Loss) != 6 {
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
	if err := train(func(*kge.Job) {}); err != nil {
		t.Fatal(err)
	}
	g := enginetest.SmallGraph()
	g.Valid = nil
	other := completion.Data(g)
	for says, change := range map[string]func(*kge.Job){
		"epochs 6 there, 7 here":                func(j *kge.Job) { j.Settings.Epochs = 7 },
		"max_norm not set there, 1 here":        func(j *kge.Job) { j.Settings.MaxNorm = 1 },
		"members 1 seed 0 there, 99 here":       func(j *kge.Job) { j.Members[0].Seed = 99 },
		"members 1 n3 0 there, 0.5 here":        func(j *kge.Job) { j.Members[0].N3 = 0.5 },
		"the data differ":                       func(j *kge.Job) { j.Data = other },
		"epochs 6 there, 9 here; the data diff": func(j *kge.Job) { j.Data, j.Settings.Epochs = other, 9 },
		"batch 3 there, 4 here; dim 4 there, ":  func(j *kge.Job) { j.Settings.Dim, j.Settings.Batch = 8, 4 },
	} {
		err := train(change)
		if !errors.Is(err, kge.ErrOtherTraining) {
			t.Errorf("%q: error %v, want ErrOtherTraining", says, err)
			continue
		}
		checkError(t, err, says, file)
	}
}

// TestDamagedCheckpoints: any change of a byte, and any loss, is found.
func TestDamagedCheckpoints(t *testing.T) {
	file := filepath.Join(t.TempDir(), "training")
	j := job(2, func(s *kge.Settings) { s.ValidateEvery = 2 })
	j.Checkpoint = &kge.Checkpoint{File: file}
	mustTrain(t, script([]int32{3, 1, 4}), j)
	sound, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(t rapidOrTest, what string, content []byte) {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := kge.Train(context.Background(), &enginetest.Scripted{}, j); err == nil || !strings.Contains(err.Error(), file+": the file is damaged") {
			t.Fatalf("%s: error %v", what, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		changed := append([]byte(nil), sound...)
		changed[rapid.IntRange(0, len(sound)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "by"))
		refused(t, "a changed byte", changed)
		refused(t, "a lost end", sound[:rapid.IntRange(0, len(sound)-1).Draw(t, "length")])
		refused(t, "more at the end", append(append([]byte(nil), sound...), rapid.SliceOfN(rapid.Byte(), 1, 20).Draw(t, "more")...))
	})
	_, err = kge.Train(t.Context(), &enginetest.Scripted{}, j)
	checkError(t, err, file, "remove it")
}

type rapidOrTest interface {
	Fatalf(string, ...any)
	Fatal(...any)
}

func TestCheckpointThatCannotBeWritten(t *testing.T) {
	j := job(1, func(*kge.Settings) {})
	j.Checkpoint = &kge.Checkpoint{File: filepath.Join(t.TempDir(), "nowhere", "training")}
	_, err := kge.Train(t.Context(), &enginetest.Scripted{}, j)
	checkError(t, err, "cannot write", j.Checkpoint.File)
}

// TestCheckpointsAreNotWrittenTooOften: with a long Every, at the end only.
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
		if _, err := os.Stat(j.Checkpoint.File); err != nil {
			t.Errorf("every %v: %v", every, err)
		}
	}
}
