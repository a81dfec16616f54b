package classify_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/classify/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// classes returns the task on a graph, on one thread.
func classes(g *rdf.Graph, s classify.Settings, m classify.Member) *classify.Task {
	return &classify.Task{Graph: g, Settings: classify.TaskSettings{Convolution: s, Member: m},
		Engine: cpu.New(1)}
}

func classSettings() (classify.Settings, classify.Member, autoblm.SearchSettings) {
	s := classify.Defaults(classify.BLM)
	s.Dim, s.Layers, s.Epochs, s.ValidateEvery, s.Folds, s.Runs = 4, 1, 4, 2, 2, 1
	m := classify.DefaultMember()
	m.LearningRate = 0.05
	of := autoblm.DefaultSearch()
	of.Settings = search.BasicSettings()
	of.K, of.Budget, of.Candidates, of.RoundSize, of.Parents, of.Predictor = 2, 14, 16, 4, 4, nil
	return s, m, of
}

// TestTrialsEqualMembers checks that a trial equals its member trained alone.
func TestTrialsEqualMembers(t *testing.T) {
	s, m, of := classSettings()
	about := classes(friends(), s, m)
	defer about.Close()
	want, err := autoblm.SearchFor(t.Context(), about, of)
	if err != nil {
		t.Fatal(err)
	}
	if want.Trained != of.Budget || want.Complete != of.Budget || want.Artifact == nil ||
		len(want.Best) != of.Parents {
		t.Fatalf("%d trained, %d complete, %d best, model %v", want.Trained, want.Complete,
			len(want.Best), want.Artifact)
	}
	last := want.Trials[len(want.Trials)-1]
	m.Structure, m.Seed = last.Structure, of.Seed
	alone, err := trainOnce(t.Context(), friends(), s, classify.Options{}, []classify.Member{m})
	if err != nil {
		t.Fatal(err)
	}
	if *last.Score != alone[0].CVAccuracy || *last.TestScore != alone[0].TestAccuracies[0] {
		t.Errorf("trial %+v, but alone %s comes to %+v", last, last.Structure, alone[0])
	}
}

func TestSearchForClassesRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study.db")
	type input struct {
		*rdf.Graph
		settings classify.Settings
		member   classify.Member
		search   autoblm.SearchSettings
	}
	run := func(change func(in *input)) error {
		in := &input{Graph: friends()}
		in.settings, in.member, in.search = classSettings()
		in.search.Study, in.search.Budget = path, 4
		change(in)
		about := classes(in.Graph, in.settings, in.member)
		defer about.Close()
		_, err := autoblm.SearchFor(t.Context(), about, in.search)
		return err
	}
	if err := run(func(*input) {}); err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func(in *input){
		"convolution dim 4 there, 8 here": func(in *input) { in.settings.Dim = 8 },
		"convolution norm none there, symmetric here": func(in *input) {
			in.settings.Norm = classify.Symmetric
		},
		"member dropout 0.4 there, 0.3 here": func(in *input) { in.member.Dropout = 0.3 },
		"seed 1 there, 2 here":               func(in *input) { in.search.Seed = 2 },
		"the data differ": func(in *input) {
			in.Train[0].Class, in.Train[1].Class = in.Train[1].Class, in.Train[0].Class
		},
		"has no structure to search for": func(in *input) { in.settings.Encoder = classify.GCN },
		"learning-rate is 0":             func(in *input) { in.member.LearningRate = 0 },
		"repeats is 0":                   func(in *input) { in.settings.Repeats = 0 },
		"dim is 5":                       func(in *input) { in.settings.Dim, in.search.Study = 5, "" },
		"classification has no stage tune": func(in *input) {
			in.search.Study, in.search.Tune = "", search.DefaultTune()
		},
	} {
		wantError(t, says, run(change), says)
	}
	contents, err := study.Read(path)
	if err != nil || contents.About.Task != classify.TaskName {
		t.Errorf("the study is about %+v, %v", contents.About, err)
	}
	if proposed := search.Proposed(contents.Trials); len(proposed) != 4 {
		t.Errorf("%d trials were proposed, want 4", len(proposed))
	}
}

// TestDivergedClasses checks that divergence fails a trial, not the search.
func TestDivergedClasses(t *testing.T) {
	s, m, of := classSettings()
	m.LearningRate, of.Budget, s.Runs = 1e30, 4, 0
	about := classes(friends(), s, m)
	defer about.Close()
	result, err := autoblm.SearchFor(t.Context(), about, of)
	if err != nil || result.Trained == 0 || result.Complete != 0 {
		t.Fatalf("%+v, %v", result, err)
	}
	for _, trial := range result.Trials {
		if trial.State != task.Diverged || !strings.Contains(trial.Error, "smaller learning rate") ||
			trial.Score != nil || trial.TestScore != nil {
			t.Errorf("%+v", trial)
		}
	}
}

// TestRetrainingClasses checks that the best structures and baselines are retrained with other seeds.
func TestRetrainingClasses(t *testing.T) {
	s, m, of := classSettings()
	of.Budget, of.RetrainSeeds = 4, 2
	result, err := autoblm.SearchFor(t.Context(), classes(friends(), s, m), of)
	if err != nil || len(result.Retrained) != 5 {
		t.Fatalf("%d structures trained again, want 3 and 2 baselines; %v", len(result.Retrained), err)
	}
	for _, r := range result.Retrained {
		if seeds := r.Seeds(); len(seeds) != 2 || seeds[0] == seeds[1] ||
			r.Trials[0].State != task.Complete || r.Trials[1].State != task.Complete {
			t.Errorf("%v: %+v", r.Structure, r.Trials)
		}
	}
}

// TestClassesStopEarly checks that trials at their deadline are complete, marked as stopped early,
// and have a model, and that later trials without a deadline are not stopped.
func TestClassesStopEarly(t *testing.T) {
	s, m, of := classSettings()
	on := classes(friends(), s, m)
	defer on.Close()
	for _, cut := range []bool{true, false} {
		ctx := t.Context()
		if cut {
			ctx = task.StopAt(ctx, time.Now())
		}
		trials := []task.Trial{{Stage: task.Searching, Structure: structure.MustParse("1,0;0,2"),
			Recipe: task.Recipe{Recipe: kge.Recipe{Training: of.Training}, Seed: 1}}}
		artifacts, err := on.Train(ctx, trials, func(float64) {})
		if err != nil {
			t.Fatal(err)
		}
		if got := trials[0]; got.State != task.Complete || got.StoppedEarly != cut || got.Score == nil ||
			artifacts[0] == nil {
			t.Errorf("cut %v: %+v has left %v", cut, got, artifacts[0])
		}
	}
}

// TestClassesWithTimeLimit checks the plan of a search with a time limit, which only has an end.
func TestClassesWithTimeLimit(t *testing.T) {
	s, m, of := classSettings()
	of.Planned, of.TimeLimit, of.RetrainSeeds, of.Study = &search.Planned{}, time.Hour, 2,
		filepath.Join(t.TempDir(), "study.db")
	on := classes(friends(), s, m)
	defer on.Close()
	var told []string
	of.OnPlan = func(p search.Plan) { told = append(told, p.String()) }
	for range 2 {
		r, err := autoblm.SearchFor(t.Context(), on, of)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Plan.Ended || r.Trained != of.Budget || len(r.Retrained) == 0 ||
			r.Settings.Training != of.Training || r.Trials[0].Stage != task.Default ||
			r.Trials[0].State != task.Complete {
			t.Errorf("%d trained, %d again by %+v", r.Trained, len(r.Retrained), r.Plan)
		}
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], "up to 14 structures at d") {
		t.Errorf("told are %q", told)
	}
	on.Settings.Convolution.Dim = 6
	if _, found := on.Default(form.Bilinear); found {
		t.Error("ComplEx has four chunks, d 6 is not a multiple of that")
	}
}
