package completion_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
)

// shortTrial returns a trial that validates after each epoch.
func shortTrial(epochs int) task.Trial {
	training := kge.DefaultSettings()
	training.Dim, training.Epochs, training.ValidateEvery = 4, epochs, 1
	return task.Trial{Structure: structure.MustParse("distmult"), Recipe: task.Recipe{
		Recipe: kge.Recipe{Training: training, LearningRate: 0.1}, Seed: 1}}
}

// TestTaskWithinLimits checks that trials are validated and ranked on samples within the limits,
// that the metrics count these, and that a resumed training keeps its sample.
func TestTaskWithinLimits(t *testing.T) {
	g := enginetest.RandomGraph(9, 2, 50, 1)
	g.Valid, g.Test = slices.Clone(g.Train[:8]), slices.Clone(g.Train[8:12])
	trial := shortTrial(2)
	for _, limits := range []eval.Limits{{}, {Valid: 3, Test: eval.None}, {Valid: 3, Test: 2},
		{Valid: 100, Test: 100}} {
		engine := &enginetest.Scripted{}
		on := &completion.Task{Graph: g, Engine: engine, Limits: limits}
		trials := []task.Trial{trial}
		if _, err := on.Train(t.Context(), trials, func(float64) {}); err != nil {
			t.Fatal(err)
		}
		valid, test := eval.Sample(g.Valid, limits.Valid), eval.Sample(g.Test, limits.Test)
		want := [][]datasets.Triple{valid, valid, valid} // after both epochs, and in the end
		if len(test) > 0 {
			want = append(want, test)
		}
		if !slices.EqualFunc(engine.RankedSplits, want, slices.Equal[[]datasets.Triple]) {
			t.Errorf("%+v: ranked are %v, want %v", limits, engine.RankedSplits, want)
		}
		e := completion.EvaluationsOf(trials[0].Details)
		for _, of := range []struct {
			got         *completion.Evaluation
			ranked, all []datasets.Triple
		}{{e.Valid, valid, g.Valid}, {e.Test, test, g.Test}} {
			switch {
			case len(of.ranked) == 0:
				if of.got != nil {
					t.Errorf("%+v: what was not ranked is %+v", limits, of.got)
				}
			case of.got.Triples != len(of.ranked) ||
				(of.got.Of == len(of.all)) != (len(of.ranked) < len(of.all)):
				t.Errorf("%+v: %d of %d triples, want %d of %d", limits, of.got.Triples, of.got.Of,
					len(of.ranked), len(of.all))
			}
		}
		if (trials[0].TestScore == nil) != (len(test) == 0) {
			t.Errorf("%+v: test score %v", limits, trials[0].TestScore)
		}
	}
}

// TestValidationKeepsItsSample checks that a resumed training validates on the same sample, since
// scores of other samples do not compare.
func TestValidationKeepsItsSample(t *testing.T) {
	g := enginetest.RandomGraph(9, 2, 50, 1)
	g.Valid = slices.Clone(g.Train[:8])
	s := kge.DefaultSettings()
	s.Dim, s.Epochs, s.ValidateEvery = 4, 2, 1
	job := kge.Job{
		Data: completion.Data(g), Settings: s,
		Members:    []kge.Member{kge.DefaultMember(structure.MustParse("distmult"))},
		ValidateBy: 3, Checkpoint: &kge.Checkpoint{File: filepath.Join(t.TempDir(), "training")},
	}
	if _, err := kge.Train(t.Context(), &enginetest.Scripted{FailEpoch: 2}, job); err == nil {
		t.Fatal("nothing failed")
	}
	job.ValidateBy = 5
	engine := &enginetest.Scripted{}
	if _, err := kge.Train(t.Context(), engine, job); err != nil {
		t.Fatal(err)
	}
	if want := eval.Sample(g.Valid, 3); !slices.Equal(engine.RankedSplit, want) {
		t.Errorf("validated by %v, want %v", engine.RankedSplit, want)
	}
	if s := (&completion.Task{Graph: g}).Size(); s != (task.Size{Examples: 50, Entities: 9, Validation: 8}) {
		t.Errorf("size %+v", s)
	}
}

// TestTrialsStopEarly checks that a trial at its deadline, before or during training, is complete,
// marked as stopped early, and has a model.
func TestTrialsStopEarly(t *testing.T) {
	g := enginetest.RandomGraph(9, 2, 50, 1)
	g.Valid = slices.Clone(g.Train[:8])
	trial := shortTrial(1_000_000_000)
	engine := newEngine(t)
	for _, left := range []time.Duration{-time.Hour, 0, 20 * time.Millisecond} {
		trials := []task.Trial{trial, trial}
		trials[1].Recipe.Seed = 2
		artifacts, err := (&completion.Task{Graph: g, Engine: engine}).Train(
			task.StopAt(t.Context(), time.Now().Add(left)), trials, func(float64) {})
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range trials {
			if got.State != task.Complete || !got.StoppedEarly || got.Score == nil ||
				len(got.Loss) >= trial.Recipe.Training.Epochs {
				t.Errorf("with %v left: state %q, cut %v, score %v", left, got.State, got.StoppedEarly,
					got.Score)
			}
			if p, err := completion.PredictorOf(artifacts[i]); err != nil || len(p.Models()) != 1 {
				t.Errorf("with %v left: model %v, %v", left, p, err)
			}
		}
	}
}
