package classify_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/classify/cpu"
	"github.com/autoblm/autoblm-go/autoblm/classify/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// tunedAndTrained is what [classify.Tune] and [classify.Train] come to.
type tunedAndTrained struct {
	Tuned   []classify.Tuned
	Results []classify.Result
}

// longWork tunes and trains on a small graph.
func longWork(
	ctx context.Context, rate float64, o classify.Options,
) (w tunedAndTrained, err error) {
	g := enginetest.RandomGraph(rand.New(rand.NewPCG(5, 6)), 30, 4, 150)
	s := classify.Defaults(classify.BLM)
	s.Epochs, s.Folds, s.Runs, s.ValidateEvery, s.Patience = 9, 3, 2, 2, 2
	m := classify.Member{Structure: structure.MustParse("1,-2;2,1"), Seed: 3, LearningRate: rate,
		Dropout: 0.2}
	r := classify.DefaultRanges()
	r.Dims, r.LearningRate = []int{4}, [2]float64{rate, rate}
	if w.Tuned, err = classify.Tune(ctx, g, s, m, r, 3, 1, o); err != nil {
		return w, err
	}
	s.Dim, o.KeepModels = 4, true
	w.Results, err = classify.TrainOnce(ctx, g, s, o, []classify.Member{m})
	return w, err
}

// TestInterruptedWorkResumes checks that tuning and training give the same results to the bit when
// interrupted anywhere, also if members diverge.
func TestInterruptedWorkResumes(t *testing.T) {
	dir := t.TempDir()
	engine := cpu.New(1)
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.SampledFrom([]float64{0.01, 1e25}).Draw(t, "rate")
		want, err := longWork(context.Background(), rate, classify.Options{Engine: engine})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "training")
		every := rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "every")
		var got tunedAndTrained
		for pieces := 0; ; pieces++ {
			if pieces > 500 {
				t.Fatal("the work does not get on")
			}
			kept, err := classify.OpenCheckpoint(file, every, func(err error) { t.Error(err) })
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			calls := rapid.IntRange(1, 60).Draw(t, "calls")
			at := 0
			got, err = longWork(ctx, rate, classify.Options{Engine: engine, Checkpoint: kept,
				OnProgress: func(done, total int) {
					if at++; at == calls {
						cancel()
					}
					if done > total {
						t.Errorf("%d of %d are done", done, total)
					}
				}},
			)
			cancel()
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		if difference := cmp.Diff(want, got, sameResults); difference != "" {
			t.Errorf("in pieces (-alone +pieces):\n%s", difference)
		}
		kept, err := classify.OpenCheckpoint(file, every, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		if got, err = longWork(context.Background(), rate,
			classify.Options{Engine: engine, Checkpoint: kept}); err != nil {
			t.Fatal(err)
		}
		if difference := cmp.Diff(want, got, sameResults); difference != "" {
			t.Errorf("killed after its end (-alone +killed):\n%s", difference)
		}
		for _, name := range []string{file, file + ".before"} {
			_ = os.Remove(name)
		}
	})
}

func TestCheckpointOfOtherTraining(t *testing.T) {
	file := filepath.Join(t.TempDir(), "training")
	work := func(ctx context.Context, rate float64) error {
		kept, err := classify.OpenCheckpoint(file, 0, func(err error) { t.Error(err) })
		if err != nil {
			return err
		}
		_, err = longWork(ctx, rate, classify.Options{Engine: cpu.New(1), Checkpoint: kept})
		return err
	}
	if err := work(t.Context(), 0.01); err != nil {
		t.Fatal(err)
	}
	if err := work(t.Context(), 0.02); err == nil || !strings.Contains(err.Error(), file) ||
		!strings.Contains(err.Error(), "belongs to another training") {
		t.Errorf("other rates: %v", err)
	}
	for _, name := range []string{file, file + ".before"} {
		if err := os.WriteFile(name, []byte("ABLM"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := work(t.Context(), 0.01); err == nil ||
		!strings.Contains(err.Error(), file+": the file is damaged") {
		t.Errorf("a damaged file: %v", err)
	}
}

// TestCheckpointThatCannotBeWritten checks that a failure to write is reported and does not end the
// training.
func TestCheckpointThatCannotBeWritten(t *testing.T) {
	told := 0
	kept, err := classify.OpenCheckpoint(filepath.Join(t.TempDir(), "nowhere", "training"), 0,
		func(error) {
			told++
		})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := longWork(t.Context(), 0.01,
		classify.Options{Engine: cpu.New(1), Checkpoint: kept}); err != nil || told == 0 {
		t.Errorf("told %d times, %v", told, err)
	}
}
