package study_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
)

func about() study.About {
	return describe(enginetest.Graph(), strategy.Evolutionary{}, search.BasicSettings())
}

func describe(g *datasets.Graph, algorithm strategy.Strategy, s search.Settings) study.About {
	about, err := study.Describe(&completion.Task{Graph: g}, algorithm, s)
	if err != nil {
		panic(err)
	}
	return about
}

func open(t *testing.T, path string) *study.Study {
	t.Helper()
	s, err := study.Open(path, about())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func trials() []task.Trial {
	guess := 0.25
	evaluation := &completion.Evaluation{Triples: 3, Both: eval.Metrics{MRR: 0.1 + 0.2, MeanRank: 3.5}}
	all := []task.Trial{
		{Number: 1, Name: "complex", Structure: structure.MustParse("complex"), State: task.Running},
		{
			Number: 2, Round: 1, Structure: structure.MustParse("-1,2;2,1"), State: task.Complete,
			Prediction: &guess, Loss: []float64{3.25, 1.5}, Seconds: 0.5, Engine: "gomlx", Backend: "go",
		},
		{
			Number: 3, Round: 1, Structure: structure.MustParse("simple"), State: task.Diverged,
			Error: "diverged",
		},
	}
	judge(&all[1], evaluation, evaluation)
	return all
}

// judge gives a trial the metrics of both splits.
func judge(trial *task.Trial, valid, test *completion.Evaluation) {
	e := completion.Evaluations{Valid: valid, Test: test}
	trial.Score, trial.TestScore = e.Scores()
	var err error
	if trial.Details, err = e.Details(); err != nil {
		panic(err)
	}
}

func model() *kge.Model {
	g := enginetest.Graph()
	s := structure.MustParse("quate")
	settings := kge.DefaultSettings()
	settings.Dim, settings.Reciprocal = 8, true
	return &kge.Model{
		Parameters: kge.Initialize(completion.Data(g), settings, kge.Member{Structure: s, Seed: 1}),
		Dataset:    g.Name, Source: "/somewhere", EntityLabels: g.Entities, RelationLabels: g.Relations,
		Training: &kge.Training{Settings: settings, Member: kge.DefaultMember(s)},
		Valid:    json.RawMessage(`{"triples":2}`),
	}
}

func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "study.db")
	s := open(t, path)
	if got, err := s.Trials(); err != nil || len(got) != 0 {
		t.Fatalf("a new study has trials %v, %v", got, err)
	}
	if best, err := s.Best(); err != nil || best != nil {
		t.Fatalf("a new study has a best model %v, %v", best, err)
	}
	want := trials()
	round := search.Round{
		Number: 1, RandomState: []byte("pcg:0123"), Proposed: 3, Repeats: 1, Seconds: 0.25,
	}
	for _, change := range []search.Change{{Trials: want[:2]}, {Trials: want[2:], Round: &round, Best: model()}} {
		if err := s.Put(change); err != nil {
			t.Fatal(err)
		}
	}
	want[0].State = task.Complete
	if err := s.Put(search.Change{Trials: want[:1]}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, path)
	if got, err := again.Trials(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("trials %+v, %v; want %+v", got, err, want)
	}
	if got, err := again.Rounds(); err != nil || !reflect.DeepEqual(got, []search.Round{round}) {
		t.Errorf("rounds %+v, %v; want %+v", got, err, round)
	}
	files, err := model().Files()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := again.Best(); err != nil || !reflect.DeepEqual(got, task.Files(files)) {
		t.Errorf("best model %+v, %v", got, err)
	}
}

// TestTrialIsUnique checks that a stage has one trial per structure and recipe. Another stage may have
// the same, because the search uses the recipe that tuning found.
func TestTrialIsUnique(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "study.db"))
	first := trials()[0]
	if err := s.Put(search.Change{Trials: []task.Trial{first}}); err != nil {
		t.Fatal(err)
	}
	again, otherRecipe := first, first
	again.Number, otherRecipe.Number = 2, 3
	otherRecipe.Recipe.Seed++
	if err := s.Put(search.Change{Trials: []task.Trial{again}}); err == nil {
		t.Error("a second trial of the same structure and recipe was kept")
	}
	if err := s.Put(search.Change{Trials: []task.Trial{otherRecipe}}); err != nil {
		t.Errorf("another seed: %v", err)
	}
	otherStage := first
	otherStage.Number, otherStage.Stage = 4, task.Tuning
	if err := s.Put(search.Change{Trials: []task.Trial{otherStage}}); err != nil {
		t.Errorf("another stage: %v", err)
	}
	if kept, err := s.Trials(); err != nil || len(kept) != 3 {
		t.Errorf("%d trials, %v; want 3", len(kept), err)
	}
}

// TestEmptyFileIsNewStudy opens an empty file and a database without tables, which a process leaves
// that is killed at its start.
func TestEmptyFileIsNewStudy(t *testing.T) {
	for _, statements := range []string{"", "BEGIN EXCLUSIVE; COMMIT"} {
		path := filepath.Join(t.TempDir(), "study.db")
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(statements); err != nil {
			t.Fatal(err)
		}
		db.Close()
		if _, err := study.Read(path); err == nil || !strings.Contains(err.Error(), "is empty") {
			t.Errorf("reading an empty study after %q: %v", statements, err)
		}
		if err := open(t, path).Put(search.Change{Trials: trials()}); err != nil {
			t.Errorf("after %q: %v", statements, err)
		}
	}
}

// TestStudyWithoutTrials checks that a study without trials accepts another search, for example after
// its data are corrected.
func TestStudyWithoutTrials(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study.db")
	open(t, path).Close()
	other := about()
	other.Fingerprint = "0000"
	s, err := study.Open(path, other)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Put(search.Change{Trials: trials()}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if s, err := study.Open(path, about()); err == nil {
		s.Close()
		t.Error("with trials, the study is still taken for one about other data")
	}
}

func TestRefusals(t *testing.T) {
	foreign := filepath.Join(t.TempDir(), "foreign.db")
	db, err := sql.Open("sqlite", foreign)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE recipes (cake TEXT)"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	text := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(text, bytes.Repeat([]byte("not a database\n"), 100), 0o644); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(t.TempDir(), "study.db")
	begun := open(t, mine)
	if err := begun.Put(search.Change{Trials: trials()}); err != nil {
		t.Fatal(err)
	}
	begun.Close()
	otherFormat := filepath.Join(t.TempDir(), "format.db")
	open(t, otherFormat).Close()
	if db, err = sql.Open("sqlite", otherFormat); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA user_version = 6"); err != nil {
		t.Fatal(err)
	}
	db.Close()

	otherData, otherSettings := about(), about()
	otherData.Fingerprint = "0000"
	otherSettings.Settings.Training.Dim = 128
	for name, c := range map[string]struct {
		path  string
		about study.About
		says  string
	}{
		"another program's database": {foreign, about(), "another program"},
		"a text file":                {text, about(), "not a study"},
		"another format":             {otherFormat, about(), "format 6, but this program supports only format 1"},
		"other data":                 {mine, otherData, "the data differ"},
		"other settings":             {mine, otherSettings, "training dim 64 there, 128 here"},
		"a folder that is a file":    {filepath.Join(text, "study.db"), about(), "folder"},
		"a folder as the file":       {t.TempDir(), about(), "cannot"},
	} {
		before, _ := os.ReadFile(c.path)
		check := func(doing string, err error) {
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s, %s: the error is %v, which should say %q in one line", name, doing, err, c.says)
			}
			if after, _ := os.ReadFile(c.path); !bytes.Equal(before, after) {
				t.Errorf("%s, %s: the file was changed", name, doing)
			}
		}
		s, err := study.Open(c.path, c.about)
		if err == nil {
			s.Close()
		}
		check("open", err)
		if c.path != mine &&
			!strings.HasPrefix(name, "a folder") { // who reads does not ask what it is about
			_, err := study.Read(c.path)
			check("read", err)
		}
	}
}

// TestDefaultModelIsKept checks that a search which resumes without a recipe of the default model has
// that of the study.
func TestDefaultModelIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study.db")
	recipe := kge.DefaultRecipe()
	recipe.LearningRate = 0.77
	s := search.BasicSettings()
	p := search.Problem{
		Task: &completion.Task{Graph: enginetest.Graph()}, Strategy: strategy.Evolutionary{}, Settings: s,
	}
	for _, given := range []*kge.Recipe{&recipe, nil} {
		p.Default = given
		opened, resolved, err := study.OpenFor(path, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resolved.Default == nil || resolved.Default.LearningRate != recipe.LearningRate {
			t.Errorf("given %v: %+v", given, resolved.Default)
		}
		if err := opened.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
