package query_test

import (
	"context"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

func querySearch() (query.TaskSettings, autoblm.SearchSettings) {
	of := autoblm.DefaultSearch()
	of.Settings = search.BasicSettings()
	of.Training = query.BasicSettings().Settings
	of.Training.Dim, of.Training.Epochs, of.Training.Batch = 8, 2, 64
	of.K, of.Budget, of.Candidates, of.RoundSize, of.Parents, of.Predictor = 2, 14, 16, 4, 4, nil
	return query.TaskSettings{Paths: query.Paths{Hops: []int{2}, With: []int{1}, AnswerPower: 0.5}}, of
}

func filesOf(t *testing.T, a task.Artifact) map[string][]byte {
	t.Helper()
	files, err := a.Files()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestInterruptedSearchForQueries checks that a search gives the same results when interrupted at
// many places, that trials equal members trained alone, and that the model belongs to the best
// trial.
func TestInterruptedSearchForQueries(t *testing.T) {
	d := enginetest.Paths(t, 40, 3, 200)
	own, of := querySearch()
	run := func(ctx context.Context, of autoblm.SearchSettings) *search.Result {
		t.Helper()
		result, err := autoblm.SearchFor(ctx, &query.Task{Data: d, Settings: own, Engine: cpu.New(2)}, of)
		if err != nil {
			t.Fatal(err)
		}
		for i := range result.Trials {
			result.Trials[i].Seconds = 0
		}
		return result
	}
	want := run(t.Context(), of)
	if want.Trained != of.Budget || want.Complete != of.Budget || want.Artifact == nil ||
		len(want.Best) != of.Parents {
		t.Fatalf("%d trained, %d complete, %d best, model %v", want.Trained, want.Complete,
			len(want.Best), want.Artifact)
	}
	of.Study = filepath.Join(t.TempDir(), "study.db")
	interruptions := 0
	for calls := 2; ; calls += 2 {
		ctx, cancel := context.WithCancel(t.Context())
		left := calls
		of.OnProgress = func(search.Progress) {
			if left--; left == 0 {
				cancel()
			}
		}
		got := run(ctx, of)
		cancel()
		if got.Stopped == search.Interrupted {
			interruptions++
			continue
		}
		if !reflect.DeepEqual(got.Trials, want.Trials) ||
			!reflect.DeepEqual(filesOf(t, got.Artifact), filesOf(t, want.Artifact)) {
			t.Errorf("trials after interruptions:\n%+v\nwithout:\n%+v", got.Trials, want.Trials)
		}
		break
	}
	if interruptions < 3 {
		t.Errorf("%d interruptions prove little", interruptions)
	}

	best := *want.Kept
	member := kge.Member{Structure: best.Structure, Seed: of.Seed, LearningRate: of.LearningRate,
		Weights: of.Weights}
	data, err := d.Training(own.Paths)
	if err != nil {
		t.Fatal(err)
	}
	report, err := kge.Train(t.Context(), cpu.New(1),
		kge.Job{Data: data, Settings: own.Settings(of.Training).Settings, Members: []kge.Member{member}})
	if err != nil {
		t.Fatal(err)
	}
	alone := report.Results[0].Model
	reached, err := query.EvaluateModel(t.Context(), cpu.New(1), alone, d, eval.Options{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	metrics := completion.EvaluationsOf(best.Details)
	if metrics.Valid.Both != reached.Valid.Metrics || metrics.Test.Both != reached.Test.Metrics ||
		!reflect.DeepEqual(want.Artifact.(*kge.Model).Parameters, alone.Parameters) {
		t.Errorf("trial %+v, but alone it comes to %+v", best, reached.Valid)
	}
}

func TestSearchForQueriesRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study.db")
	run := func(change func(own *query.TaskSettings, of *autoblm.SearchSettings)) error {
		d := enginetest.Paths(t, 40, 3, 200)
		own, of := querySearch()
		of.Study, of.Budget = path, 4
		if change != nil {
			change(&own, &of)
		}
		_, err := autoblm.SearchFor(t.Context(), &query.Task{Data: d, Settings: own, Engine: cpu.New(1)},
			of)
		return err
	}
	if err := run(nil); err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func(*query.TaskSettings, *autoblm.SearchSettings){
		"hops [2] there, [3] here": func(own *query.TaskSettings,
			_ *autoblm.SearchSettings) {
			own.Hops = []int{3}
		},
		"negatives not set there, 7 here": func(own *query.TaskSettings,
			_ *autoblm.SearchSettings) {
			own.Negatives = 7
		},
		"training epochs 2 there, 3 here": func(_ *query.TaskSettings,
			of *autoblm.SearchSettings) {
			of.Training.Epochs = 3
		},
		"no train queries of 4 hops": func(own *query.TaskSettings,
			_ *autoblm.SearchSettings) {
			own.Hops = []int{4}
		},
		"answer-power is NaN": func(own *query.TaskSettings,
			_ *autoblm.SearchSettings) {
			own.AnswerPower = math.NaN()
		},
		"hops is empty": func(own *query.TaskSettings,
			_ *autoblm.SearchSettings) {
			own.Hops, own.With = nil, nil
		},
	} {
		if err := run(change); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, which should say %q", err, says)
		}
	}
}
