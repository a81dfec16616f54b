package classify_test

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/classify/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// kinds returns a graph whose nodes point at two hubs, with relations that depend on their class,
// and at each other, which makes the task harder.
func kinds() *rdf.Graph {
	g := &rdf.Graph{Name: "kinds", Nodes: []string{"<hub:0>", "<hub:1>"},
		Relations: []string{"<r:0>", "<r:1>"}, Classes: []string{"a", "b"}}
	for i := range int32(24) {
		class := i % 2
		g.Nodes = append(g.Nodes, fmt.Sprintf("<n:%d>", i))
		g.Triples = append(
			g.Triples,
			datasets.Triple{Head: i + 2, Relation: class, Tail: 0}, datasets.Triple{Head: i + 2,
				Relation: 1 - class, Tail: 1},
			datasets.Triple{Head: i + 2, Relation: i / 3 % 2, Tail: 2 + (i*7+5)%24},
		)
		label := rdf.Label{Node: i + 2, Class: class}
		if i/2%4 < 3 {
			g.Train = append(g.Train, label)
		} else {
			g.Test = append(g.Test, label)
		}
	}
	return g
}

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

func filesOf(t *testing.T, a task.Artifact) map[string][]byte {
	t.Helper()
	files, err := a.Files()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestInterruptedSearchForClasses checks that a search gives the same results when interrupted at
// many places, and that trials equal members trained alone.
func TestInterruptedSearchForClasses(t *testing.T) {
	s, m, of := classSettings()
	about := classes(kinds(), s, m)
	defer about.Close()
	run := func(ctx context.Context, of autoblm.SearchSettings) *search.Result {
		t.Helper()
		result, err := autoblm.SearchFor(ctx, about, of)
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
	for calls := 2; ; calls += 9 {
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
	trainer, err := classify.NewTrainer(kinds(), s, classify.Options{Engine: cpu.New(0)})
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	last := want.Trials[len(want.Trials)-1]
	m.Structure, m.Seed = last.Structure, of.Seed
	alone, err := trainer.Train(t.Context(), []classify.Member{m})
	if err != nil {
		t.Fatal(err)
	}
	if *last.Score != alone[0].CVAccuracy || *last.TestScore != alone[0].TestAccuracies[0] {
		t.Errorf("trial %+v, but alone %s comes to %+v", last, last.Structure, alone[0])
	}
}

func TestSearchForClassesRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study.db")
	run := func(change func(*rdf.Graph, *classify.Settings, *classify.Member,
		*autoblm.SearchSettings)) error {
		g := kinds()
		s, m, of := classSettings()
		of.Study, of.Budget = path, 4
		if change != nil {
			change(g, &s, &m, &of)
		}
		about := classes(g, s, m)
		defer about.Close()
		_, err := autoblm.SearchFor(t.Context(), about, of)
		return err
	}
	if err := run(nil); err != nil {
		t.Fatal(err)
	}
	type graph = rdf.Graph
	for says, change := range map[string]func(*graph, *classify.Settings, *classify.Member,
		*autoblm.SearchSettings){
		"convolution dim 4 there, 8 here": func(_ *graph, s *classify.Settings, _ *classify.Member,
			_ *autoblm.SearchSettings) {
			s.Dim = 8
		},
		"convolution norm none there, symmetric here": func(_ *graph, s *classify.Settings,
			_ *classify.Member, _ *autoblm.SearchSettings) {
			s.Norm = classify.Symmetric
		},
		"member dropout 0.4 there, 0.3 here": func(_ *graph, _ *classify.Settings, m *classify.Member,
			_ *autoblm.SearchSettings) {
			m.Dropout = 0.3
		},
		"seed 1 there, 2 here": func(_ *graph, _ *classify.Settings, _ *classify.Member,
			of *autoblm.SearchSettings) {
			of.Seed = 2
		},
		"the data differ": func(g *graph, _ *classify.Settings, _ *classify.Member,
			_ *autoblm.SearchSettings) {
			g.Train[0].Class, g.Train[1].Class = g.Train[1].Class, g.Train[0].Class
		},
		"has no structure to search for": func(_ *graph, s *classify.Settings, _ *classify.Member,
			_ *autoblm.SearchSettings) {
			s.Encoder = classify.GCN
		},
		"learning-rate is 0": func(_ *graph, _ *classify.Settings, m *classify.Member,
			_ *autoblm.SearchSettings) {
			m.LearningRate = 0
		},
		"repeats is 0": func(_ *graph, s *classify.Settings, _ *classify.Member,
			_ *autoblm.SearchSettings) {
			s.Repeats = 0
		},
		"dim is 5": func(_ *graph, s *classify.Settings, _ *classify.Member, of *autoblm.SearchSettings) {
			s.Dim, of.Study = 5, ""
		},
		"classification has no stage tune": func(_ *graph, _ *classify.Settings, _ *classify.Member,
			of *autoblm.SearchSettings) {
			of.Study, of.Tune = "", search.DefaultTune()
		},
	} {
		if err := run(change); err == nil || !strings.Contains(err.Error(), says) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("the error is %v, which should say %q in one line", err, says)
		}
	}
	if contents, err := study.Read(path); err != nil || contents.About.Task != classify.TaskName ||
		len(contents.Trials) != 4 {
		t.Errorf("the study is about %+v, %v", contents.About, err)
	}
}

// TestDivergedClasses checks that divergence fails a trial, not the search.
func TestDivergedClasses(t *testing.T) {
	s, m, of := classSettings()
	m.LearningRate, of.Budget, s.Runs = 1e30, 4, 0
	about := classes(kinds(), s, m)
	defer about.Close()
	result, err := autoblm.SearchFor(t.Context(), about, of)
	if err != nil || result.Trained == 0 || result.Complete != 0 {
		t.Fatalf("%+v, %v", result, err)
	}
	for _, trial := range result.Trials {
		if trial.State != task.Failed || !strings.Contains(trial.Error, "smaller learning rate") ||
			trial.Score != nil || trial.TestScore != nil {
			t.Errorf("%+v", trial)
		}
	}
}

// TestRetrainingClasses checks that the best structures are retrained with other seeds.
func TestRetrainingClasses(t *testing.T) {
	s, m, of := classSettings()
	of.Budget, of.RetrainSeeds = 4, 2
	result, err := autoblm.SearchFor(t.Context(), classes(kinds(), s, m), of)
	if err != nil || len(result.Retrained) != 3 {
		t.Fatalf("%d structures trained again, want 3; %v", len(result.Retrained), err)
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
	on := classes(kinds(), s, m)
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
	on := classes(kinds(), s, m)
	defer on.Close()
	var told []string
	of.OnPlan = func(p search.Plan) { told = append(told, p.String()) }
	for range 2 {
		r, err := autoblm.SearchFor(t.Context(), on, of)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Plan.Ended || r.Trained != of.Budget || len(r.Retrained) == 0 ||
			r.Settings.Training != of.Training {
			t.Errorf("%d trained, %d again by %+v", r.Trained, len(r.Retrained), r.Plan)
		}
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], "up to 14 structures at d") {
		t.Errorf("told are %q", told)
	}
}
