package study_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/stage"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
)

// searched runs a small search with three stages, and returns its study and result.
func searched(t *testing.T) (path string, about study.About, result *search.Result) {
	t.Helper()
	settings := search.BasicSettings()
	settings.Budget, settings.RoundSize, settings.Parents = 7, 3, 3
	settings.Training.Dim, settings.Training.Epochs = 8, 2
	settings.Tune, settings.Final = search.DefaultTune(), search.DefaultFinal()
	settings.Tune.Trials, settings.Final.Trials = 2, 2
	settings.Final.Ranges.Dims = []int{8, 16}
	settings.Final.Epochs, settings.Final.ValidateEvery = 2, 1
	g := enginetest.Graph()
	about = describe(g, strategy.Evolutionary{}, settings)
	path = filepath.Join(t.TempDir(), "study.db")
	s, err := study.Open(path, about)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	engine := cpu.New(1)
	defer engine.Close()
	result, err = stage.Run(t.Context(), search.Problem{
		Task:     &completion.Task{Graph: g, Engine: engine},
		Strategy: strategy.Evolutionary{},
		Settings: settings,
		Store:    s,
	})
	if err != nil {
		t.Fatal(err)
	}
	return path, about, result
}

func TestRead(t *testing.T) {
	path, about, result := searched(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	contents, err := study.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	about.Stopped = search.BudgetSpent
	if !reflect.DeepEqual(contents.About, about) {
		t.Errorf("about %+v, want %+v", contents.About, about)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed (%v)", err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil ||
		len(entries) > 2 { // the second is SQLite's journal, where it leaves one
		t.Errorf("there are files beside the study: %v, %v", entries, err)
	}
	var trials []task.Trial
	for trial, err := range study.Trials(path) {
		if err != nil {
			t.Fatal(err)
		}
		if trials = append(trials, trial); trial.Number == 3 {
			break
		}
	}
	if !reflect.DeepEqual(trials, contents.Trials[:3]) {
		t.Errorf("the first three trials are %+v", trials)
	}
	got := contents.Result()
	got.Metric, got.Overhead, result.Overhead = result.Metric, 0, 0 // what the file does not know
	if !reflect.DeepEqual(got, result) {
		t.Errorf("the result is %+v, want that of the search, %+v", got, result)
	}
	if got := contents.State(); got.String() != "finished" {
		t.Errorf("the state is %v", got)
	}
}

// TestPeek checks that all but the large files of the model is read.
func TestPeek(t *testing.T) {
	path, _, _ := searched(t)
	want, err := study.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := study.Peek(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(want.Best) < 3 {
		t.Fatalf("the model has %d files", len(want.Best))
	}
	want.Best = task.Files{"model.json": want.Best["model.json"]}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestState checks the words for each end of a search, and that an end is stored until a run asks
// for more.
func TestState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study.db")
	run := func(budget int, stopped search.Stop, done []task.Trial) study.State {
		t.Helper()
		a := about()
		a.Settings.Budget, a.Settings.TimeLimit = budget, time.Hour
		s, err := study.Open(path, a)
		if err != nil {
			t.Fatal(err)
		}
		change := search.Change{Stopped: stopped, Trials: done}
		if done != nil {
			change.Round = &search.Round{Number: 1, RandomState: []byte("pcg:0123")}
		}
		err = errors.Join(s.Put(change), s.Close())
		c, readError := study.Read(path)
		if err := errors.Join(err, readError); err != nil {
			t.Fatal(err)
		}
		if got := c.Result().Settings.TimeLimit; got != time.Hour {
			t.Errorf("the time limit of the last run is %v", got)
		}
		if got := c.Result().Stopped; stopped != "" && got != stopped {
			t.Errorf("%s: the result has stopped by %q", stopped, got)
		}
		return c.State()
	}
	for _, end := range []struct {
		budget  int
		stopped search.Stop
		done    []task.Trial
		want    string
	}{
		{8, "", nil, "interrupted"}, // killed
		{8, search.Interrupted, nil, "interrupted"},
		{8, search.TimeLimitReached, nil, "finished, time limit reached"},
		{8, "", trials(), "interrupted"}, // killed after it went on
		{8, search.CannotSelect, nil, "finished, the validation data cannot select models"},
		{8, search.SpaceExhausted, nil, "finished, no new structures"},
		{8, "", nil, "finished, no new structures"},
		{8, search.BudgetSpent, nil, "finished"},
		{9, "", nil, "interrupted"}, // killed after it asked for more
	} {
		if got := run(end.budget, end.stopped, end.done); got.String() != end.want {
			t.Errorf("%d structures, stopped by %q: %q, want %q", end.budget, end.stopped, got, end.want)
		}
	}
	other := filepath.Join(t.TempDir(), "study.db")
	defer open(t, other).Close()
	_, err := study.Read(other)
	if got := study.StateOf(err); got.String() != "running, in use by this process" {
		t.Errorf("while it is open: %q", got)
	}
}

// TestAmount: a search has trained baselines only if it ends without a structure, not while it tunes
// a recipe.
func TestAmount(t *testing.T) {
	for _, c := range []struct {
		stopped search.Stop
		plan    *search.Plan
		trained int
		want    string
	}{
		{"", nil, 0, "0 of 8 structures"},
		{search.Interrupted, nil, 0, "0 of 8 structures"},
		{search.TimeLimitReached, nil, 0, "baselines only"},
		{"", &search.Plan{NoSearch: true}, 0, "baselines only"},
		{search.TimeLimitReached, nil, 3, "3 of 8 structures"},
		{search.BudgetSpent, nil, 8, "8 structures"},
	} {
		r := &search.Result{
			Baselines: []task.Trial{{}}, Stopped: c.stopped, Plan: c.plan, Trained: c.trained,
		}
		if r.Settings.Budget = 8; study.Amount(r) != c.want {
			t.Errorf("stopped by %q after %d: %q, want %q", c.stopped, c.trained, study.Amount(r), c.want)
		}
	}
}

func TestReadRefusals(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.db")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{filepath.Join(dir, "none.db"): "there is no study", empty: "is empty", dir: "cannot read"} {
		if _, err := study.Read(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", path, err, says)
		}
		for _, err := range study.Trials(path) {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("the trials of %s: %v, want %q", path, err, says)
			}
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("files appeared: %v, %v", entries, err)
	}
}

// TestLastRun checks that a study stores the budget, the source and the command of its last run. A
// refused search is no run.
func TestLastRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study.db")
	last := about()
	last.Source = "/first"
	run := func(a study.About) error {
		s, err := study.Open(path, a)
		if err != nil {
			return err
		}
		return s.Close()
	}
	s := open(t, path)
	if err := s.Put(search.Change{Trials: trials(), Round: &search.Round{Number: 1, RandomState: []byte("pcg:0123")}}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	first, second := []string{"search", "--k", "2"}, []string{"search", "--k", "2", "--budget", "128"}
	for _, c := range []struct {
		source, want  string
		budget        int
		command, kept []string
	}{
		{"/first", "/first", 64, first, first},
		{"/second", "/second", 128, second, second},
		{"", "/second", 32, nil, second},
	} {
		last.Source, last.Settings.Budget, last.Command = c.source, c.budget, c.command
		if err := run(last); err != nil {
			t.Fatal(err)
		}
		other := last
		other.Fingerprint, other.Source, other.Settings.Budget = "0000", "/elsewhere", 1
		if err := run(other); err == nil {
			t.Fatal("a search of other data went on")
		}
		contents, err := study.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		want := last
		want.Source, want.Command = c.want, c.kept
		if !reflect.DeepEqual(contents.About, want) {
			t.Errorf("%+v: about %+v, want %+v", c, contents.About, want)
		}
	}
}

func TestSource(t *testing.T) {
	data := t.TempDir()
	t.Setenv("AUTOBLM_DATA", data)
	for _, name := range []string{"umls", "mine"} { // a benchmark's name, and none
		if err := datasets.WriteFolder(enginetest.Graph(), filepath.Join(data, name)); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) *datasets.Graph {
		g, err := datasets.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	for name, c := range map[string]struct {
		graph *datasets.Graph
		want  string
	}{
		"embedded":               {datasets.World(), "world"},
		"a benchmark":            {read("umls"), "umls"},
		"a folder":               {read(filepath.Join(data, "mine")), filepath.Join(data, "mine")},
		"made by a program":      {enginetest.Graph(), ""},
		"the benchmark's folder": {read(filepath.Join(data, "umls")), "umls"},
	} {
		got := describe(c.graph, strategy.Progressive{}, search.BasicSettings()).Source
		if got != c.want {
			t.Errorf("%s: the source is %q, want %q", name, got, c.want)
		}
		if got != "" && read(got).Fingerprint() != c.graph.Fingerprint() {
			t.Errorf("%s: from %q comes another graph", name, got)
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	var want []string
	for _, name := range []string{"a.db", "deep/er/b.db", "z.db"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		open(t, path).Close()
		want = append(want, path)
	}
	open(t, filepath.Join(dir, ".hidden", "c.db")).Close()
	open(t, filepath.Join(dir, "name.sqlite")).Close()
	for name, content := range map[string]string{"empty.db": "", "text.db": strings.Repeat("no study\n", 100)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := study.Find(dir); err != nil || !slices.Equal(got, want) {
		t.Errorf("found %v, %v; want %v", got, err, want)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Log("no links: ", err)
	} else if got, err := study.Find(link); err != nil || len(got) != len(want) ||
		got[0] != filepath.Join(link, "a.db") {
		t.Errorf("found %v, %v through a link", got, err)
	}
	if _, err := study.Find(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there has studies")
	}
}

// written returns the cells of trials by column name.
func written(t *testing.T, trials []task.Trial, byRecipe bool) (lines []map[string]string) {
	t.Helper()
	var text bytes.Buffer
	err := study.WriteCSV(&text, trials, byRecipe, completion.NewPresentation().Fields)
	if err != nil {
		t.Fatal(err)
	}
	table, err := csv.NewReader(&text).ReadAll()
	if err != nil || len(table) != len(trials)+1 {
		t.Fatalf("%d lines for %d trials, %v", len(table), len(trials), err)
	}
	for _, cells := range table[1:] {
		line := map[string]string{}
		for column, name := range table[0] {
			line[name] = cells[column]
		}
		if len(line) != len(cells) {
			t.Fatalf("two columns have one name: %v", table[0])
		}
		lines = append(lines, line)
	}
	return lines
}

// TestCSV checks that each column has exactly the value of the trial.
func TestCSV(t *testing.T) {
	third, all := 1.0/3, trials()
	trial := &all[1]
	trial.Stage, trial.Name, trial.Kept = task.Final, "ünïcode;", true
	trial.Error = "two\nlines, a \"quote\" and a comma"
	trial.Recipe = task.Recipe{Seed: math.MaxUint64, Recipe: kge.Recipe{
		LearningRate: third,
		Weights: kge.Weights{
			L2: 0.1, N3: 0.2, RelationL2: 0.3, EntityL2: 0.4, Products: 0.5, RelationPrediction: third,
		},
		Training: kge.Settings{
			Dim: 8, Epochs: 2, Batch: 64, Decay: 0.99, InitScale: 1e-3, DataSeed: math.MaxUint64,
			ValidateEvery: 4, Patience: 5, MaxSteps: 6, Initial: kge.Xavier, Reciprocal: true,
			Dropout: 0.1, MaxNorm: 1.5, PlateauPatience: 3, PlateauFactor: 0.7,
		},
	}}
	side := func(x float64) eval.Metrics {
		return eval.Metrics{MRR: x, Hits1: x + 1, Hits3: x + 2, Hits10: x + 3, MeanRank: x + 4}
	}
	valid := &completion.Evaluation{Triples: 3, Both: side(third), Head: side(10), Tail: side(20)}
	judge(trial, valid, &completion.Evaluation{Triples: 7, Both: side(30), Head: side(40)})
	lines := written(t, all, true)
	for column, want := range map[string]string{
		"number": "2", "stage": "final", "round": "1", "name": "ünïcode;", "state": "complete",
		"structure": "-1,2;2,1", "canonical": "1,2;2,-1", "features": "111000",
		"dim": "8", "epochs": "2", "batch": "64", "optimizer": "adagrad", "precision": "float32",
		"decay": "0.99", "initial": "xavier", "init_scale": "0.001",
		"data_seed": "18446744073709551615", "validate_every": "4", "patience": "5",
		"plateau_patience": "3", "plateau_factor": "0.7", "reciprocal": "true", "dropout": "0.1",
		"max_norm": "1.5", "max_steps": "6",
		"learning_rate": "0.3333333333333333", "l2": "0.1", "n3": "0.2", "entity_l2": "0.4",
		"relation_l2": "0.3", "products": "0.5", "relation_prediction": "0.3333333333333333",
		"seed": "18446744073709551615", "epochs_trained": "2", "last_loss": "1.5",
		"prediction": "0.25", "score": "0.3333333333333333", "test_score": "30",
		"valid_triples": "3", "valid_mrr": "0.3333333333333333", "valid_hits1": "1.3333333333333333",
		"valid_hits3": "2.3333333333333335", "valid_hits10": "3.3333333333333335",
		"valid_mean_rank": "4.333333333333333", "valid_head_mrr": "10", "valid_head_hits3": "12",
		"valid_tail_hits10": "23", "valid_tail_mean_rank": "24", "test_triples": "7",
		"test_hits10": "33", "test_head_hits1": "41", "test_tail_mrr": "", "seconds": "0.5",
		"engine": "gomlx", "backend": "go", "kept": "true",
		"error": "two\nlines, a \"quote\" and a comma",
	} {
		if got, found := lines[1][column]; got != want || !found {
			t.Errorf("%s is %q, want %q", column, got, want)
		}
	}
	for column, want := range map[string]string{
		"name": "complex", "state": "running", "prediction": "", "score": "", "test_score": "",
		"valid_mrr": "", "epochs_trained": "0", "last_loss": "", "kept": "false", "error": "",
	} {
		if got, found := lines[0][column]; got != want || !found {
			t.Errorf("without results, %s is %q, want %q", column, got, want)
		}
	}
}

// TestCSVOfOtherTasks checks that columns of other tasks are empty.
func TestCSVOfOtherTasks(t *testing.T) {
	objective, test := 1.0/3, 1.0/7
	classes := trials()
	classes[1].Recipe.Seed, classes[1].Score, classes[1].TestScore = 7, &objective, &test
	classes[1].Details = fmt.Appendf(nil, `{"objective":%v,"test_objective":%v}`, objective, test)
	lines := written(t, classes, false)
	if line := lines[1]; line["score"] != "0.3333333333333333" ||
		line["test_score"] != "0.14285714285714285" || line["seed"] != "7" {
		t.Errorf("the accuracies are not there: %v", line)
	}
	recipe := []string{
		"dim", "batch", "optimizer", "reciprocal", "learning_rate", "n3", "epochs_trained",
	}
	for n, line := range lines { // those that failed too
		for name, cell := range line {
			split := strings.HasPrefix(name, "valid_") ||
				strings.HasPrefix(name, "test_") && name != "test_score"
			if (split || slices.Contains(recipe, name)) && cell != "" {
				t.Errorf("trial %d for classes has %s %s", n+1, name, cell)
			}
		}
	}
	queries := trials()[1:2]
	metrics := eval.Metrics{MRR: 0.5, Hits10: 1, MeanRank: 2}
	judge(&queries[0], &completion.Evaluation{Triples: 3, Both: metrics, Tail: metrics}, nil)
	line := written(t, queries, true)[0]
	if line["valid_mrr"] != "0.5" || line["valid_hits1"] != "0" || line["dim"] == "" {
		t.Errorf("queries: %v", line)
	}
	for name, cell := range line {
		if strings.HasPrefix(name, "valid_head_") && cell != "" {
			t.Errorf("queries have %s %s", name, cell)
		}
	}
}
