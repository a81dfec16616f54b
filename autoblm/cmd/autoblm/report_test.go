package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/predictor"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/cli"
	"pgregory.net/rapid"
)

func TestReportJSON(t *testing.T) {
	graph := smallGraph(t)
	file, _ := finishedStudy(t, graph)
	out := filepath.Join(t.TempDir(), "new", "report.html")
	o := object(t, "report", "--study", file, "--out", out)
	if o["dataset"] != "small" || o["algorithm"] != "autoblm+" || o["note"] != nil || len(o["verdict"].([]any)) == 0 {
		t.Errorf("report: %v", o)
	}
	page, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"AutoBLM&#43; on small", "By relation pattern", "mirrors", "autoblm study resume " + file + " --budget 20", "autoblm report --study " + file} {
		if !strings.Contains(string(page), words) {
			t.Errorf("the page does not say %q", words)
		}
	}
	for _, picture := range o["pictures"].([]any) {
		if info, err := os.Stat(picture.(string)); err != nil || info.Size() == 0 {
			t.Errorf("%v was not written: %v", picture, err)
		}
	}
	status, stdout, stderr := invoke(t.Context(), "report", "--study", file, "--out", out)
	if status != cli.Done || !strings.Contains(stdout, "The report is "+out) {
		t.Errorf("the text of a report: status %d, %q, %q", status, stdout, stderr)
	}
}

func TestReportOfDataThatMoved(t *testing.T) {
	graph := smallGraph(t)
	file, _ := finishedStudy(t, graph)
	moved := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(graph, moved); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "report.html")
	o := object(t, "report", "--study", file, "--out", out)
	if note, _ := o["note"].(string); !strings.Contains(note, "not at hand") {
		t.Errorf("the note is %v", o["note"])
	}
	if page, _ := os.ReadFile(out); !strings.Contains(string(page), "not at hand") || strings.Contains(string(page), "mirrors") {
		t.Error("the page does not say that the data are gone")
	}
	o = object(t, "report", "--study", file, "--out", out, "--dataset", moved)
	page, _ := os.ReadFile(out)
	if o["note"] != nil || !strings.Contains(string(page), "mirrors") || !strings.Contains(string(page), "--dataset "+moved) {
		t.Errorf("the page of the moved data lacks their relations: %v", o["note"])
	}
	for _, wrong := range []string{"world", filepath.Join(t.TempDir(), "nowhere")} {
		if status, _, stderr := invoke(t.Context(), "report", "--study", file, "--out", out, "--dataset", wrong); status != cli.Failed || strings.Count(stderr, "\n") != 1 {
			t.Errorf("with the data set %s: status %d, %q", wrong, status, stderr)
		}
	}
}

func TestReportOfNothing(t *testing.T) {
	for _, arguments := range [][]string{{"report"}, {"report", "--study", filepath.Join(t.TempDir(), "none.db")}} {
		if status, _, stderr := invoke(t.Context(), arguments...); status == cli.Done || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, %q", arguments, status, stderr)
		}
	}
}

// settingsOf are what the command search makes of a line.
func settingsOf(t *rapid.T, line string) (search.Settings, string) {
	words, rest := []string{}, line
	for rest = strings.TrimPrefix(rest, commandOf(nil)+" "); rest != ""; {
		word, after, quotedWord := "", "", strings.HasPrefix(rest, "'")
		if quotedWord {
			word, after, _ = strings.Cut(rest[1:], "'")
			after = strings.TrimPrefix(after, " ")
		} else {
			word, after, _ = strings.Cut(rest, " ")
		}
		words, rest = append(words, word), after
	}
	c, err := parsed(words...)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	settings, err := c.Search.searchSettings()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if settings.Algorithm != c.Search.Algorithm {
		t.Errorf("%s: the algorithm is %s", line, settings.Algorithm)
	}
	return settings.Settings, c.Search.Dataset
}

func TestSearchLineHasTheSameSettings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := search.BasicSettings()
		s.K = rapid.IntRange(2, 6).Draw(t, "k")
		s.Budget = rapid.IntRange(1, 500).Draw(t, "budget")
		s.Candidates, s.RoundSize, s.Parents = rapid.IntRange(1, 200).Draw(t, "n"), rapid.IntRange(1, 20).Draw(t, "p"), rapid.IntRange(1, 20).Draw(t, "i")
		s.InitialNonzeros = rapid.SampledFrom([]int{0, s.K, s.K + 1}).Draw(t, "b0")
		s.MutationRate = rapid.SampledFrom([]float64{0, 0.1, 1.0 / 3}).Draw(t, "pm")
		s.Filter = rapid.SampledFrom([]strategy.Filter{strategy.Exact, strategy.PaperFilter, strategy.NoFilter}).Draw(t, "filter")
		switch rapid.IntRange(0, 2).Draw(t, "predictor") {
		case 1:
			s.Predictor.Features = predictor.OneHot
		case 2:
			s.Predictor = nil
		}
		s.Seed = rapid.Uint64().Draw(t, "seed")
		s.Training.Dim = s.K * rapid.IntRange(1, 40).Draw(t, "dim")
		s.Training.Epochs, s.Training.Batch = rapid.IntRange(1, 300).Draw(t, "epochs"), rapid.IntRange(1, 3000).Draw(t, "batch")
		s.Training.Optimizer = rapid.SampledFrom([]kge.Optimizer{kge.Adagrad, kge.Adam}).Draw(t, "optimizer")
		s.Training.Decay = rapid.Float64Range(0.5, 1).Draw(t, "decay")
		s.Training.ValidateEvery = rapid.IntRange(1, 9).Draw(t, "validate")
		s.Training.Patience = rapid.IntRange(0, 9).Draw(t, "patience")
		s.LearningRate = rapid.Float64Range(1e-6, 2).Draw(t, "lr")
		share := rapid.Float64Range(0, 0.99)
		for _, weight := range []*float64{&s.L2, &s.N3, &s.EntityL2, &s.RelationL2, &s.Products, &s.RelationPrediction, &s.Training.Dropout, &s.Training.LabelSmoothing, &s.Training.MaxNorm} {
			if rapid.Bool().Draw(t, "set") {
				*weight = share.Draw(t, "weight")
			}
		}
		s.Training.Reciprocal, s.Training.InitScale = rapid.Bool().Draw(t, "reciprocal"), rapid.Float64Range(1e-4, 1).Draw(t, "scale")
		s.Training.Initial = rapid.SampledFrom([]kge.Initial{kge.Normal, kge.Xavier}).Draw(t, "initial")
		if rapid.Bool().Draw(t, "plateaus") {
			s.Training.PlateauPatience, s.Training.PlateauFactor = rapid.IntRange(1, 5).Draw(t, "plateau"), rapid.Float64Range(0.1, 0.9).Draw(t, "factor")
		}
		if rapid.Bool().Draw(t, "tune") {
			s.Tune = search.DefaultTune()
			s.Tune.Trials = rapid.IntRange(1, 50).Draw(t, "recipes")
		}
		if rapid.Bool().Draw(t, "final") {
			s.Final = search.DefaultFinal()
			s.Final.Trials, s.Final.Epochs = rapid.IntRange(1, 50).Draw(t, "finals"), rapid.IntRange(1, 50).Draw(t, "final epochs")
			s.Final.Ranges.Dims = []int{s.K * rapid.IntRange(1, 9).Draw(t, "final dim"), s.K * 10}
		}
		var names []string
		for _, algorithm := range strategy.All() {
			names = append(names, algorithm.Name())
		}
		about := study.About{
			Algorithm: rapid.SampledFrom(names).Draw(t, "algorithm"), Settings: s,
			Identity: task.Identity{Source: rapid.SampledFrom([]string{"world", "/a/folder", "/a folder/with; odd & names"}).Draw(t, "source")},
		}
		line, exact, err := searchLine(about, engineOf(nil))
		if err != nil || !exact {
			t.Fatalf("%s: exact %v, %v", line, exact, err)
		}
		settings, dataset := settingsOf(t, line)
		if !reflect.DeepEqual(settings, s) || dataset != about.Source {
			t.Errorf("%s makes\n%+v of %s, want\n%+v of %s", line, settings, dataset, s, about.Source)
		}
	})
}

func TestSearchLineSaysWhatItCannot(t *testing.T) {
	for name, change := range map[string]func(*search.Settings){
		"predictor": func(s *search.Settings) { s.Predictor.Hidden = 99 },
		"training":  func(s *search.Settings) { s.Training.DataSeed = 99 },
		"stage":     func(s *search.Settings) { s.Tune = search.DefaultTune(); s.Tune.Ranges.Batches = []int{99} },
	} {
		s := search.BasicSettings()
		change(&s)
		if line, exact, err := searchLine(study.About{Algorithm: "autoblm", Settings: s, Identity: task.Identity{Source: "world"}}, engineOf(nil)); err != nil || exact {
			t.Errorf("%s: %s is said to be exact (%v)", name, line, err)
		}
	}
}

func TestSearchLineTakesTheSameEngine(t *testing.T) {
	about := study.About{Algorithm: "autoblm", Settings: search.BasicSettings(), Identity: task.Identity{Source: "world"}}
	line, _, err := searchLine(about, engineOf([]task.Trial{{Engine: "gomlx", Backend: "go"}, {}}))
	if words := strings.Fields(line); err != nil || !slices.Contains(words, "gomlx") || !slices.Contains(words, "--backend") {
		t.Errorf("%s (%v) does not name the engine", line, err)
	}
	line, _, err = searchLine(about, engineOf([]task.Trial{{}, {Engine: "cpu", Backend: "avx2"}}))
	if err != nil || !strings.Contains(line, "--engine cpu") || strings.Contains(line, "--backend") {
		t.Errorf("%s (%v) does not name the engine cpu, or names its instructions as a backend", line, err)
	}
}

// TestReportOfOtherTasks: their data are opened again too, to judge chance by, and
// without them there is a page all the same.
func TestReportOfOtherTasks(t *testing.T) {
	for task, c := range map[string]struct {
		data, chance, not string
		flags             []string
	}{
		"query":    {queries(t), "validation queries is uncertain", "triples", []string{"--hops", "2"}},
		"classify": {kinds(t, nil), "nodes held out is uncertain", "MRR", []string{"--layers", "1", "--runs", "1"}},
	} {
		t.Run(task, func(t *testing.T) {
			dir := t.TempDir()
			object(t, slices.Concat([]string{"search", "--recipe", "basic", "--task", task, "--dataset", c.data, "--dim", "8", "--out", dir}, c.flags, smallSearch)...)
			file, out := filepath.Join(dir, studyName), filepath.Join(dir, "report.html")
			page := func(more ...string) (map[string]any, string) {
				t.Helper()
				o := object(t, append([]string{"report", "--study", file, "--out", out}, more...)...)
				content, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				_, body, _ := strings.Cut(string(content), "<body>")
				return o, body
			}
			o, body := page()
			verdict := asText(t, o["verdict"])
			if o["task"] != task || o["note"] != nil || !strings.Contains(verdict, c.chance) || strings.Contains(verdict+body, c.not) || len(o["pictures"].([]any)) == 0 {
				t.Errorf("report: %v", o)
			}
			if !strings.Contains(body, "search --task "+task+" ") {
				t.Error("the page has no command for the same search")
			}
			moved := filepath.Join(t.TempDir(), "elsewhere")
			if err := os.Rename(c.data, moved); err != nil {
				t.Fatal(err)
			}
			if o, body = page(); !strings.Contains(asText(t, o["note"]), "not at hand") || !strings.Contains(body, "not at hand") || strings.Contains(body, "uncertain") {
				t.Errorf("of data that moved: %v", o)
			}
			if o, body = page("--dataset", moved); o["note"] != nil || !strings.Contains(body, c.chance) || !strings.Contains(body, "--dataset "+moved) {
				t.Errorf("of the moved data: %v", o)
			}
			if status, _, stderr := invoke(t.Context(), "report", "--study", file, "--out", out, "--dataset", filepath.Join(dir, "nowhere")); status != cli.Failed || strings.Count(stderr, "\n") != 1 {
				t.Errorf("with data that are not there: status %d, %q", status, stderr)
			}
		})
	}
}

// TestSearchLineNamesWhatTheGraphWouldDecide: the penalty and the batch of a study are in its
// command, also where they are the usual ones, which the size of a graph may replace.
func TestSearchLineNamesWhatTheGraphWouldDecide(t *testing.T) {
	timed := search.TimedSettings()
	timed.TimeLimit = time.Minute
	for _, s := range []search.Settings{search.DefaultSettings(), timed} {
		line, exact, err := searchLine(study.About{Algorithm: "autoblm+", Settings: s, Identity: task.Identity{Source: "world"}}, engineOf(nil))
		if err != nil || !exact || !strings.Contains(line, "--n3 0.02") || !strings.Contains(line, "--batch 128") {
			t.Errorf("%s (exact: %v, %v)", line, exact, err)
		}
	}
}
