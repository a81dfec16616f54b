package query_test

import (
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/require"
)

func querySearch() (query.TaskSettings, autoblm.SearchSettings) {
	of := autoblm.DefaultSearch()
	of.Settings = search.BasicSettings()
	of.Training = query.BasicSettings().Settings
	of.Training.Dim, of.Training.Epochs, of.Training.Batch = 8, 2, 64
	of.K, of.Budget, of.Candidates, of.RoundSize, of.Parents, of.Predictor = 2, 14, 16, 4, 4, nil
	return query.TaskSettings{Paths: query.Paths{Hops: []int{2}, With: []int{1}, AnswerPower: 0.5}}, of
}

// TestTrialsEqualMembers checks that a trial equals its member trained alone, and that the model
// belongs to the best trial.
func TestTrialsEqualMembers(t *testing.T) {
	d := enginetest.Paths(t, 40, 3, 200)
	own, of := querySearch()
	want, err := autoblm.SearchFor(t.Context(), &query.Task{Data: d, Settings: own, Engine: cpu.New(2)},
		of)
	if err != nil {
		t.Fatal(err)
	}
	if want.Trained != of.Budget || want.Complete != of.Budget || want.Artifact == nil ||
		len(want.Best) != of.Parents {
		t.Fatalf("%d trained, %d complete, %d best, model %v", want.Trained, want.Complete,
			len(want.Best), want.Artifact)
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

// TestDefaultModelOfQueries checks that a search with a time limit first trains ComplEx with the
// default settings, on the paths of the search.
func TestDefaultModelOfQueries(t *testing.T) {
	own, of := querySearch()
	on := &query.Task{Data: enginetest.Paths(t, 40, 3, 200), Settings: own, Engine: cpu.New(1)}
	first, found := on.Default(form.Bilinear)
	s, m := query.Default(form.Bilinear)
	if r := first.Recipe; !found || r.Training != s.Settings || r.LearningRate != m.LearningRate ||
		r.Weights != m.Weights {
		t.Errorf("%+v", first)
	}
	of.Budget, of.TimeLimit, of.Planned = 4, time.Hour, &search.Planned{}
	of.Default = &of.Settings.Recipe // which is shorter
	r, err := autoblm.SearchFor(t.Context(), on, of)
	if err != nil || r.Trained != 4 || r.Kept == nil || r.Trials[0].Stage != task.Default ||
		r.Trials[0].Structure != first.Structure || r.Trials[0].Score == nil {
		t.Errorf("%+v, %v", r, err)
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
	type own = query.TaskSettings
	type settings = autoblm.SearchSettings
	for says, change := range map[string]func(*own, *settings){
		"hops [2] there, [3] here":        func(s *own, _ *settings) { s.Hops = []int{3} },
		"negatives not set there, 7 here": func(s *own, _ *settings) { s.Negatives = 7 },
		"training epochs 2 there, 3 here": func(_ *own, of *settings) { of.Training.Epochs = 3 },
		"no train queries of 4 hops":      func(s *own, _ *settings) { s.Hops = []int{4} },
		"answer-power is NaN":             func(s *own, _ *settings) { s.AnswerPower = math.NaN() },
		"hops is empty":                   func(s *own, _ *settings) { s.Hops, s.With = nil, nil },
	} {
		if err := run(change); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, which should say %q", err, says)
		}
	}
}

// TestCheckSearch refuses a recipe for which every training would fail, before there is a study.
func TestCheckSearch(t *testing.T) {
	for want, set := range map[string]func(*task.Recipe){
		"batch-norm":              func(r *task.Recipe) { r.Training.BatchNorm = true },
		"the loss bce":            func(r *task.Recipe) { r.Training.Loss = kge.BCE },
		"the encoder rgcn":        func(r *task.Recipe) { r.Training.Encoder = kge.RGCN },
		"feature-dropout":         func(r *task.Recipe) { r.Training.FeatureDropout = 0.1 },
		"adversarial-temperature": func(r *task.Recipe) { r.Training.AdversarialTemperature = 1 },
		"subsampling":             func(r *task.Recipe) { r.Training.Subsampling = true },
		"relation-prediction":     func(r *task.Recipe) { r.RelationPrediction = 1 },
	} {
		r := task.Recipe{Recipe: kge.Recipe{Training: kge.DefaultSettings()}}
		require.NoError(t, query.CheckSearch(r, form.Query2box))
		set(&r)
		require.Error(t, query.CheckSearch(r, form.Bilinear), "the recipe has "+want)
	}
	err := query.CheckSearch(task.Recipe{}, form.ConvE{Height: 4, Filters: 4, Size: 3}.Form())
	require.Error(t, err, "queries do not train with conve-4-4-3")
}
