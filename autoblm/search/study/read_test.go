package study_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/stage"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
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
	got := contents.Result()
	got.Stopped, got.Metric, got.Overhead, result.Overhead = result.Stopped, result.Metric, 0, 0 // what the file does not know
	if !reflect.DeepEqual(got, result) {
		t.Errorf("the result is %+v, want that of the search, %+v", got, result)
	}
	if got := contents.Status(); got != study.Finished {
		t.Errorf("the status is %q", got)
	}
}

func TestStatus(t *testing.T) {
	path, _, _ := searched(t)
	contents, err := study.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	all := contents.Trials
	contents.Trials = all[:len(all)-1]
	if got := contents.Status(); got != study.FinalLeft {
		t.Errorf("without the last trial, the status is %q", got)
	}
	contents.Trials = all[:len(all)-3]
	if got := contents.Status(); got != study.BudgetLeft {
		t.Errorf("without the last trial of the search, the status is %q", got)
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
	if _, err := study.Find(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there has studies")
	}
}

// TestCSV checks that the lines have exactly the numbers of the trials.
func TestCSV(t *testing.T) {
	path, _, _ := searched(t)
	contents, err := study.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	all := append(contents.Trials, trials()...)
	all[0].Error, all[0].Name = "two\nlines, a \"quote\" and a comma", "ünïcode;"
	all[1].Recipe.Weights = kge.Weights{
		L2:                 0.1,
		N3:                 0.2,
		RelationL2:         0.3,
		EntityL2:           0.4,
		Products:           0.5,
		RelationPrediction: 1.0 / 3,
	}
	training := &all[1].Recipe.Training
	training.Initial, training.Reciprocal, training.Dropout, training.LabelSmoothing = kge.Xavier, true, 0.1, 0.2
	training.MaxNorm, training.PlateauPatience, training.PlateauFactor = 1.5, 3, 0.7
	var text bytes.Buffer
	if err := study.WriteCSV(&text, all, true, completion.NewPresentation().Fields); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != len(all)+1 {
		t.Fatalf("%d lines for %d trials", len(lines), len(all))
	}
	for i, trial := range all {
		line := named(lines, i+1)
		if len(line) != len(lines[0]) {
			t.Fatalf("two columns have one name: %v", lines[0])
		}
		if got, want := parse(t, line), withoutCurves(trial); !reflect.DeepEqual(got, want) {
			t.Errorf("trial %d: the line %v says %+v, want %+v", trial.Number, line, got, want)
		}
		if got := line["canonical"]; got != trial.Canonical().String() {
			t.Errorf("trial %d: canonical form %s", trial.Number, got)
		}
		digits := make([]uint8, len(line["features"]))
		for i, digit := range line["features"] {
			digits[i] = uint8(digit - '0')
		}
		if !slices.Equal(digits, trial.Structure.SRF()) {
			t.Errorf("trial %d: features %v, want %v", trial.Number, digits, trial.Structure.SRF())
		}
		if n := len(trial.Loss); line["epochs_trained"] != strconv.Itoa(n) ||
			n > 0 && number(t, line["last_loss"]) != trial.Loss[n-1] {
			t.Errorf("trial %d: %s epochs with the last loss %s", trial.Number, line["epochs_trained"],
				line["last_loss"])
		}
	}
}

// named returns the cells of a line by column name.
func named(lines [][]string, n int) map[string]string {
	line := map[string]string{}
	for column, name := range lines[0] {
		line[name] = lines[n][column]
	}
	return line
}

// TestCSVOfOtherTasks checks that columns of other tasks are empty.
func TestCSVOfOtherTasks(t *testing.T) {
	write := func(all []task.Trial, byRecipe bool) [][]string {
		var text bytes.Buffer
		if err := study.WriteCSV(&text, all, byRecipe, completion.NewPresentation().Fields); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(&text).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return lines
	}
	objective, test := 0.1+0.2, 1.0/7
	classes := trials()
	classes[1].Loss, classes[1].Recipe.Seed, classes[1].Score, classes[1].TestScore = nil, 7, &objective, &test
	classes[1].Details = nil
	lines := write(classes, false)
	if line := named(lines, 2); number(t, line["score"]) != objective ||
		number(t, line["test_score"]) != test ||
		line["seed"] != "7" {
		t.Errorf("the accuracies are not there again: %v", line)
	}
	for n := range classes { // those that failed too
		for name, cell := range named(lines, n+1) {
			split := strings.HasPrefix(name, "valid_") ||
				strings.HasPrefix(name, "test_") && name != "test_score"
			if (split || slices.Contains([]string{"dim", "batch", "optimizer", "reciprocal", "learning_rate", "n3", "epochs_trained"}, name)) &&
				cell != "" {
				t.Errorf("trial %d for classes has %s %s", n+1, name, cell)
			}
		}
	}
	queries := trials()[1:2]
	metrics := eval.Metrics{MRR: 0.5, Hits10: 1, MeanRank: 2}
	judge(&queries[0], &completion.Evaluation{Triples: 3, Both: metrics, Tail: metrics}, nil)
	line := named(write(queries, true), 1)
	if line["valid_mrr"] != "0.5" || line["valid_hits1"] != "0" || line["dim"] == "" {
		t.Errorf("queries: %v", line)
	}
	for name, cell := range line {
		if strings.HasPrefix(name, "valid_head_") && cell != "" {
			t.Errorf("queries have %s %s", name, cell)
		}
	}
}

// withoutCurves removes the fields that have no column.
func withoutCurves(t task.Trial) task.Trial {
	t.Loss, t.Validations = nil, nil
	return t
}

// parse returns the trial of a line.
func parse(t *testing.T, line map[string]string) task.Trial {
	t.Helper()
	whole := func(column string) int { return int(number(t, line[column])) }
	real := func(column string) float64 { return number(t, line[column]) }
	seed := func(column string) uint64 {
		n, err := strconv.ParseUint(line[column], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	trial := task.Trial{
		Number: whole(
			"number",
		), Stage: task.Stage(line["stage"]), Round: whole("round"), Name: line["name"], State: task.State(line["state"]),
		Structure: structure.MustParse(
			line["structure"],
		), Error: line["error"], Kept: line["kept"] == "true", Seconds: real("seconds"), Engine: line["engine"], Backend: line["backend"],
		Recipe: task.Recipe{Seed: seed("seed"), Recipe: kge.Recipe{
			Training: kge.Settings{
				Dim: whole(
					"dim",
				), Epochs: whole("epochs"), Batch: whole("batch"), Decay: real("decay"), InitScale: real("init_scale"),
				DataSeed: seed(
					"data_seed",
				), ValidateEvery: whole("validate_every"), Patience: whole("patience"), MaxSteps: whole("max_steps"),
				Reciprocal: line["reciprocal"] == "true", Dropout: real("dropout"), LabelSmoothing: real("label_smoothing"), MaxNorm: real("max_norm"),
				PlateauPatience: whole("plateau_patience"), PlateauFactor: real("plateau_factor"),
			},
			LearningRate: real("learning_rate"), Weights: kge.Weights{
				L2: real("l2"), N3: real("n3"), EntityL2: real("entity_l2"), RelationL2: real("relation_l2"),
				Products: real("products"), RelationPrediction: real("relation_prediction"),
			},
		}},
	}
	if err := trial.Recipe.Training.Optimizer.UnmarshalText([]byte(line["optimizer"])); err != nil {
		t.Fatal(err)
	}
	if err := trial.Recipe.Training.Initial.UnmarshalText([]byte(line["initial"])); err != nil {
		t.Fatal(err)
	}
	if line["prediction"] != "" {
		guess := real("prediction")
		trial.Prediction = &guess
	}
	var both completion.Evaluations
	for split, evaluation := range map[string]**completion.Evaluation{"valid_": &both.Valid, "test_": &both.Test} {
		if line[split+"mrr"] == "" {
			continue
		}
		side := func(name string) eval.Metrics {
			if line[name+"mrr"] == "" {
				return eval.Metrics{}
			}
			return eval.Metrics{
				MRR:      real(name + "mrr"),
				Hits1:    real(name + "hits1"),
				Hits3:    real(name + "hits3"),
				Hits10:   real(name + "hits10"),
				MeanRank: real(name + "mean_rank"),
			}
		}
		*evaluation = &completion.Evaluation{
			Triples: whole(split + "triples"),
			Both:    side(split),
			Head:    side(split + "head_"),
			Tail:    side(split + "tail_"),
		}
	}
	if both.Valid != nil {
		judge(&trial, both.Valid, both.Test)
	}
	return trial
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
