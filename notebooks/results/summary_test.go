package results

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

// chosen is the training on a graph that validation is highest for, if there is any.
func chosen(graph string, all []reproduce.Repeats) (best reproduce.Repeats, ok bool) {
	for _, r := range all {
		if r.Documents[0].Result.Dataset == graph && (!ok || r.Mean(validMRR) > best.Mean(validMRR)) {
			best, ok = r, true
		}
	}
	return best, ok
}

func validMRR(t *reproduce.Trained) float64 { return t.Valid.Both.MRR }
func testMRR(t *reproduce.Trained) float64  { return t.Test.Both.MRR }

// glance is the table of the paper's benchmarks at a glance: what is reported, and one model and
// one ensemble of two of ours, chosen by validation; then the curve of that model and what a part of
// the settings makes of others.
func glance(t *testing.T, folder string) string {
	t.Helper()
	all := trainings(t, folder)
	curves := table.New("graph", "after epoch")
	table := table.New("graph", "the paper's AutoBLM+", "the best published", "one model here", "which, trained in", "two models here")
	for _, graph := range reproduce.Benchmarks {
		reported := recipe.ReportedOn(graph)
		paper := reported[slices.IndexFunc(reported, func(r recipe.Reported) bool { return r.Model == "AutoBLM+" })]
		best := reported[slices.IndexFunc(reported, func(r recipe.Reported) bool { return !r.Paper && !r.Claimed })]
		published := fmt.Sprintf("%.3f, %s", best.MRR, best.Model)
		if best.EpochSeconds > 0 {
			published += fmt.Sprintf(", %s of %.0f s on %s", format.Count(best.Epochs, "epoch"), best.EpochSeconds, best.GPU)
		}
		row := []any{graph, paper.MRR, published, "not run yet", nil, twoModels(t, folder, graph)}
		if ours, ok := chosen(graph, all); ok {
			row[3], row[4] = fmt.Sprintf("**%.3f**", ours.Mean(testMRR)), howTrained(ours)
			curves.Add(graph, curve(ours.Documents[0].Result.Final.Validations))
		}
		table.Add(row...)
	}
	var text strings.Builder
	markdown(&text, table.Header, table.Rows)
	if len(all) == 0 {
		return text.String()
	}
	text.WriteString("\nTheir validation MRR by epoch, of the first seed:\n\n")
	markdown(&text, curves.Header, curves.Rows)
	text.WriteString("\nWhat comes of other dimensions, batches and structures, and of one question for several answers, all else alike:\n\n")
	varied := reproduce.Varied(all)
	told := slices.DeleteFunc(varied.Rows, func(row []string) bool {
		return !slices.Contains([]string{"d", "batch", "answers together", "model"}, row[2])
	})
	markdown(&text, varied.Header, told)
	return text.String()
}

// howTrained is which model it is and how long it was trained.
func howTrained(r reproduce.Repeats) string {
	final := r.Documents[0].Result.Final
	seconds := r.Mean(func(t *reproduce.Trained) float64 { return t.Seconds.Train })
	says := fmt.Sprintf("%s, %s, d %s: %s of %.1f s, %.0f min of %s", final.Title(), final.Recipe, format.Whole(final.Training.Settings.Dim),
		format.Count(final.Epochs, "epoch"), seconds/float64(final.Epochs), seconds/60, format.Count(r.Documents[0].Threads(), "thread"))
	if n := len(r.Documents); n > 1 {
		says += fmt.Sprintf(", mean of %d seeds", n)
	}
	return says
}

// curve tells ten validations or so, the last of them and others at equal distances before it.
func curve(all []kge.Validation) string {
	every := (len(all) + 9) / 10
	var told []string
	for i := (len(all) - 1) % every; i < len(all); i += every {
		told = append(told, fmt.Sprintf("%d: %.3f", all[i].Epoch, all[i].MRR))
	}
	return strings.Join(told, "; ")
}

// twoModels is the test MRR of the ensemble of two on a graph that validation is highest for, nil where
// there is none.
func twoModels(t *testing.T, folder, graph string) any {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "ensembleed-"+graph+"-*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var valid float64
	var test any
	for _, path := range paths {
		var ensemble struct {
			Dataset     string            `json:"dataset"`
			Members     []json.RawMessage `json:"members"`
			Valid, Test completion.Evaluation
		}
		readFrom(t, os.DirFS(folder), filepath.Base(path), &ensemble)
		if ensemble.Dataset == graph && len(ensemble.Members) == 2 && ensemble.Valid.Both.MRR > valid {
			valid, test = ensemble.Valid.Both.MRR, ensemble.Test.Both.MRR
		}
	}
	return test
}

// queriesGlance is the table of multi-hop queries at a glance: what the paper reports of its
// structures, and the best of what was trained here.
func queriesGlance(t *testing.T) string {
	t.Helper()
	table := table.New("queries", "the paper's AutoBLM+", "the best structure here", "the best baseline here")
	for _, graph := range []string{"query2box-fb15k-237", "query2box-fb15k"} {
		for _, hops := range []int{2, 3} {
			paths, err := filepath.Glob(fmt.Sprintf("query-%s-%dp-*.json", strings.TrimPrefix(graph, "query2box-"), hops))
			if err != nil || len(paths) == 0 {
				t.Fatalf("no results: %v", err)
			}
			var structured, baseline queryResult
			for _, path := range paths {
				var r queryResult
				read(t, path, &r)
				best := &structured
				if r.Structure == nil {
					best = &baseline
				}
				if r.Test.MRR > best.Test.MRR {
					*best = r
				}
			}
			says := func(r queryResult) string {
				return fmt.Sprintf("%.3f, %s, d %d", r.Test.MRR, title(r.key()), r.Dim)
			}
			table.Add(fmt.Sprintf("%s, %dp", strings.TrimPrefix(graph, "query2box-"), hops), publishedQueries[fmt.Sprintf("%s %d found", graph, hops)].mrr, says(structured), says(baseline))
		}
	}
	var text strings.Builder
	markdown(&text, table.Header, table.Rows)
	return text.String()
}

// classesGlance is the table of entity classification at a glance: what was chosen blind.
func classesGlance(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob("classify-*-blind.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no results: %v", err)
	}
	table := table.New("graph", "the paper, %", "chosen blind here, %", "one node is")
	for _, path := range paths {
		var r classResult
		read(t, path, &r)
		table.Add(r.Dataset, fmt.Sprintf("%.2f", publishedClasses[r.Dataset+" blm"]), fmt.Sprintf("%.2f", 100*r.Ensemble.Accuracy), fmt.Sprintf("%.2f", 100/float64(r.Test)))
	}
	var text strings.Builder
	markdown(&text, table.Header, table.Rows)
	return text.String()
}

// speedGlance is the table of timings at a glance: ours by the precision that is taken where nothing
// is said, beside the fastest peer.
func speedGlance(t *testing.T, files fs.FS) string {
	t.Helper()
	var r timings
	m := readFrom(t, files, "bench-cpu.json", &r)
	table := table.New("a training step, or a ranking", "here", "the fastest peer", "ratio")
	for _, c := range r.Cases {
		if c.Fastest != "" {
			table.Add(c.Name, duration(c.Ours[c.Precision]), fmt.Sprintf("%s, PyTorch (%s)", duration(c.Peers[c.Fastest]), c.Fastest), fmt.Sprintf("%.2f", c.Ratio))
		}
	}
	var text strings.Builder
	markdown(&text, table.Header, table.Rows)
	fmt.Fprintf(&text, "\nMedians of runs in turns, on %s, %s.\n", m.Machine, m.Date)
	return text.String()
}

// TestGlance: a graph without files has its row, and a curve is told by ten numbers at most, with the
// last.
func TestGlance(t *testing.T) {
	if none := glance(t, t.TempDir()); strings.Count(none, "not run yet") != len(reproduce.Benchmarks) || strings.Contains(none, "by epoch") {
		t.Errorf("without files:\n%s", none)
	}
	var all []kge.Validation
	for epoch := range 11 {
		all = append(all, kge.Validation{Epoch: epoch + 1, MRR: .5})
		told := strings.Split(curve(all), "; ")
		if last := fmt.Sprintf("%d: 0.500", epoch+1); len(told) > 10 || told[len(told)-1] != last || len(all) < 11 && len(told) != len(all) {
			t.Errorf("of %d: %q", len(all), told)
		}
	}
}

// TestChosenByValidation: a model and an ensemble that are best in the test alone are not taken.
func TestChosenByValidation(t *testing.T) {
	trained := func(name, graph string, valid, test float64) reproduce.Repeats {
		evaluated := func(mrr float64) *completion.Evaluation {
			return &completion.Evaluation{Both: eval.Metrics{MRR: mrr}}
		}
		var d reproduce.Document
		d.Result = reproduce.Result{Dataset: graph, Final: &reproduce.Trained{Valid: evaluated(valid), Test: evaluated(test)}}
		return reproduce.Repeats{Name: name, Documents: []reproduce.Document{d}}
	}
	all := []reproduce.Repeats{trained("lucky", "fb15k", .5, .75), trained("valid", "fb15k", .625, .25), trained("other", "fb15k-237", .875, .875)}
	if best, ok := chosen("fb15k", all); !ok || best.Name != "valid" {
		t.Errorf("%v, %s", ok, best.Name)
	}
	if best, ok := chosen("wn18", all); ok {
		t.Errorf("there is nothing to choose, and %s was", best.Name)
	}
	folder := t.TempDir()
	for name, ensemble := range map[string]string{
		"fb15k-lucky": `"dataset": "fb15k", "members": [{}, {}], "valid": {"both": {"mrr": 0.5}}, "test": {"both": {"mrr": 0.75}}`,
		"fb15k-valid": `"dataset": "fb15k", "members": [{}, {}], "valid": {"both": {"mrr": 0.625}}, "test": {"both": {"mrr": 0.25}}`,
		"fb15k-three": `"dataset": "fb15k", "members": [{}, {}, {}], "valid": {"both": {"mrr": 0.875}}, "test": {"both": {"mrr": 0.875}}`,
		"fb15k-237-a": `"dataset": "fb15k-237", "members": [{}, {}], "valid": {"both": {"mrr": 0.875}}, "test": {"both": {"mrr": 0.875}}`,
	} {
		content := `{"command": "autoblm ensemble", "date": "2026-11-25", "machine": "here", "result": {` + ensemble + `}}`
		if err := os.WriteFile(filepath.Join(folder, "ensembleed-"+name+".json"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if mrr := twoModels(t, folder, "fb15k"); mrr != .25 {
		t.Errorf("the ensemble of two has %v", mrr)
	}
}
