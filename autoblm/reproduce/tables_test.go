package reproduce

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/table"
)

// benchmark trains a small plan under the name of a benchmark and writes the result file.
func benchmark(t *testing.T, folder, graph, name string, seed uint64, change func(p *Plan)) string {
	t.Helper()
	p := plan(t, Final)
	p.Graph.Name, p.Seed, p.Final.Name = graph, seed, name
	if change != nil {
		change(&p)
	}
	d := record.New(t.Context(),
		record.Setup{Command: "autoblm reproduce " + graph, Threads: 1, Engine: "cpu", Backend: "avx2"},
		*mustRun(t, p))
	file := filepath.Join(folder, fmt.Sprintf("benchmark-%s-%s-%d.json", graph, name, seed))
	if err := d.Write(file); err != nil {
		t.Fatal(err)
	}
	return file
}

func rows(t *table.Table, graph string) [][]string {
	return slices.DeleteFunc(slices.Clone(t.Rows), func(row []string) bool { return row[0] != graph })
}

func TestCompare(t *testing.T) {
	dir := t.TempDir()
	files := []string{
		benchmark(t, dir, "wn18rr", "n3", 1, nil), benchmark(t, dir, "wn18rr", "n3", 2, nil),
		benchmark(t, dir, "fb15k", "n3", 1,
			func(p *Plan) { p.Final.Training.Patience, p.Final.Training.Epochs = 1, 400 }),
		benchmark(t, dir, "umls", "small", 1, nil),
	}
	all, err := ReadRepeats(files...)
	if err != nil || len(all) != 3 || len(all[0].Documents) != 2 {
		t.Fatalf("%v, %+v", err, all)
	}
	table := Compare(all)
	for _, row := range table.Rows {
		if len(row) != len(table.Header) {
			t.Errorf("%v has other columns than %v", row, table.Header)
		}
	}
	models := func(graph string) (models []string) {
		for _, row := range rows(table, graph) {
			models = append(models, row[1]+" "+row[2])
		}
		return models
	}
	for graph, want := range map[string][]string{
		"wn18rr":    {"AutoBLM the paper", "AutoBLM+ the paper", "TuckER with IVR claimed", "RESCAL, rescal published", "ComplEx, n3 published", "ComplEx, n3 here, 2 seeds"},
		"fb15k-237": {"AutoBLM the paper", "AutoBLM+ the paper", "ComplEx, rp published", "not run yet here"},
		"wn18":      {"AutoBLM the paper", "AutoBLM+ the paper", "TuckER published", "not run yet here"},
		"fb15k":     {"AutoBLM the paper", "AutoBLM+ the paper", "ComplEx, n3 published", "ComplEx, n3 here, seed 1"},
		"umls":      {"ComplEx, small here, seed 1"},
	} {
		if got := models(graph); graph != "umls" && !slices.Equal(got, want) ||
			graph == "umls" && got[len(got)-1] != want[0] {
			t.Errorf("%s: %q, want %q", graph, got, want)
		}
	}
	here := rows(table, "wn18rr")[5]
	if a, b := all[0].Documents[0].Result.Final.Test.Both.MRR, all[0].Documents[1].Result.Final.Test.Both.MRR; !slices.Equal(
		here[3:9], []string{"16", "32", "0.1", "n3 0.02", "all", "12"}) ||
		!strings.HasPrefix(here[9], fmt.Sprintf("%.3f ± ", (a+b)/2)) ||
		!strings.HasSuffix(here[12], " s, 1 thread") {
		t.Errorf("%v, of %v and %v", here, a, b)
	}
	if rp := rows(table, "fb15k-237")[2]; !slices.Equal(
		rp[3:],
		[]string{
			"2,000",
			"500",
			format.Missing,
			format.Missing,
			"all",
			"500",
			"0.388",
			"0.298",
			"0.568",
			"82.8 s, a GPU of 16 GB",
		},
	) {
		t.Errorf("%v", rp)
	}
	if stopped := rows(table, "fb15k")[3]; !strings.HasSuffix(stopped[8], " of 400") {
		t.Errorf("%v", stopped)
	}
	if varied := Varied(all); len(varied.Rows) != 0 {
		t.Errorf("%v", varied.Rows)
	}
}

func TestNothingToCompare(t *testing.T) {
	all, err := ReadRepeats()
	if err != nil || len(all) != 0 || len(Curves(all).Rows) != 0 || len(Varied(all).Rows) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	for _, graph := range Benchmarks {
		if got := rows(Compare(all), graph); len(got) < 4 || got[len(got)-1][1] != "not run yet" {
			t.Errorf("%s: %v", graph, got)
		}
	}
}

// TestCurves checks the learning curve of a training that validates every epoch.
func TestCurves(t *testing.T) {
	every := func(p *Plan) {
		p.Final.Training.ValidateEvery, p.Final.Training.Epochs = 1, 22
		p.Final.Training.Decay, p.Final.Training.Cooldown = 0.9, 5
	}
	all, err := ReadRepeats(benchmark(t, t.TempDir(), "wn18", "n3", 1, every))
	if err != nil {
		t.Fatal(err)
	}
	c := Curves(all)
	f := all[0].Documents[0].Result.Final
	want := []string{
		"wn18",
		"ComplEx, n3",
		"16",
		"32",
		"0.1, decay 0.9, cooldown 5",
		"n3 0.02",
		"all",
		"22",
	}
	for _, epoch := range []int{5, 10, 20} {
		want = append(want, fmt.Sprintf("%.3f", f.Validations[epoch-1].MRR))
	}
	want = append(want, fmt.Sprintf("%.3f, epoch %d", f.Valid.Both.MRR, f.BestEpoch))
	if len(c.Rows) != 1 || !slices.Equal(c.Rows[0], want) ||
		!slices.Equal(c.Header[8:], []string{"epoch 5", "epoch 10", "epoch 20", "best"}) {
		t.Errorf("%v, want %v", c, want)
	}
}

// TestVaried checks that trainings that differ in one part share a row, whose title distinguishes it
// from other rows.
func TestVaried(t *testing.T) {
	dir := t.TempDir()
	all, err := ReadRepeats(
		benchmark(t, dir, "wn18", "n3-32", 1,
			func(p *Plan) { p.Final.Name, p.Final.Training.Dim = "n3", 32 }),
		benchmark(t, dir, "wn18", "n3", 1, nil),
		benchmark(t, dir, "wn18", "n3-simple", 1,
			func(p *Plan) { p.Final.Name, p.Structure = "n3", structure.MustParse("simple") }),
		benchmark(t, dir, "wn18", "n3-both", 1,
			func(p *Plan) { p.Final.Name, p.Final.Training.Batch, p.Final.Training.Epochs = "n3", 16, 3 }),
		benchmark(t, dir, "fb15k", "n3", 1, nil),
		benchmark(t, dir, "fb15k", "n3-sampled", 1,
			func(p *Plan) { p.Final.Name, p.Final.Training.SampledSoftmax = "n3", 8 }),
		benchmark(t, dir, "fb15k", "n3-together", 1,
			func(p *Plan) { p.Final.Name, p.Final.Training.AnswersPerQuery = "n3", 4 }),
		benchmark(t, dir, "fb15k", "n3-sparse", 1,
			func(p *Plan) { p.Final.Name, p.Final.Training.SparseGradients = "n3", 6 }),
		benchmark(t, dir, "fb15k", "n3-decay", 1,
			func(p *Plan) { p.Final.Name, p.Final.Training.Decay = "n3", 0.5 }),
		benchmark(t, dir, "fb15k", "n3-cooled", 1,
			func(p *Plan) { p.Final.Name, p.Final.Training.Cooldown = "n3", 1 }),
		benchmark(t, dir, "wn18rr", "n3-fast", 1,
			func(p *Plan) { p.Final.Name, p.Final.LearningRate = "n3", 0.8 }),
		benchmark(t, dir, "wn18rr", "n3-fast-cooled", 1, func(p *Plan) {
			p.Final.Name, p.Final.LearningRate, p.Final.Training.Cooldown = "n3", 0.8, 1
		}),
		benchmark(t, dir, "wn18rr", "n3-slow", 1,
			func(p *Plan) { p.Final.Name, p.Final.LearningRate, p.Final.Training.Batch = "n3", 0.4, 16 }),
		benchmark(t, dir, "wn18rr", "n3-slow-cooled", 1, func(p *Plan) {
			p.Final.Name, p.Final.LearningRate, p.Final.Training.Batch, p.Final.Training.Cooldown = "n3", 0.4, 16, 1
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	mrr := func(i int) string { return fmt.Sprintf("%.3f", testMRR(all[i].Documents[0].Result.Final)) }
	varied := Varied(all)
	among := rows(varied, "wn18rr")
	slices.SortFunc(among, func(a, b []string) int { return strings.Compare(a[1], b[1]) })
	if len(among) != 2 || among[0][2] != "cooldown" ||
		among[0][1] != "ComplEx, n3, d 16, batch 16, learning rate 0.4" ||
		among[1][1] != "ComplEx, n3, d 16, batch 32, learning rate 0.8" ||
		among[1][3] != "0: "+mrr(10)+"; 1: "+mrr(11) {
		t.Errorf("rows with similar titles: %q", among)
	}
	got := slices.DeleteFunc(varied.Rows, func(row []string) bool { return row[0] == "wn18rr" })
	if len(got) != 7 ||
		!slices.Equal(got[0],
			[]string{"wn18", "ComplEx, n3", "d", "16: " + mrr(1) + "; 32: " + mrr(0)}) ||
		got[1][1] != "n3, d 16" ||
		got[1][2] != "model" ||
		!strings.Contains(got[1][3], "ComplEx: "+mrr(1)) ||
		!strings.Contains(got[1][3], "SimplE: "+mrr(2)) ||
		!slices.Equal(got[2],
			[]string{"fb15k", "ComplEx, n3, d 16", "softmax over", "8: " + mrr(5) + "; all: " + mrr(4)}) ||
		!slices.Equal(got[3],
			[]string{"fb15k", "ComplEx, n3, d 16", "entities moved", "6: " + mrr(7) + "; all: " + mrr(4)}) ||
		!slices.Equal(
			got[4],
			[]string{"fb15k", "ComplEx, n3, d 16", "answers per query", "1: " + mrr(4) + "; 4: " + mrr(6)},
		) ||
		!slices.Equal(got[5],
			[]string{"fb15k", "ComplEx, n3, d 16", "decay", "0.5: " + mrr(8) + "; 1: " + mrr(4)}) ||
		!slices.Equal(got[6],
			[]string{"fb15k", "ComplEx, n3, d 16", "cooldown", "0: " + mrr(4) + "; 1: " + mrr(9)}) {
		t.Errorf("%q", got)
	}
}

func TestReadRepeatsRefuses(t *testing.T) {
	dir := t.TempDir()
	first := benchmark(t, dir, "wn18", "n3", 1, nil)
	other := benchmark(t, dir, "wn18", "n3", 2, func(p *Plan) { p.Final.Training.Dim = 8 })
	if _, err := ReadRepeats(first, other); err == nil ||
		!strings.Contains(err.Error(), "more than its seed") {
		t.Error(err)
	}
	searched := filepath.Join(dir, "benchmark-wn18-search-1.json")
	d := record.New(t.Context(), record.Setup{}, *mustRun(t, plan(t, Search)))
	if err := d.Write(searched); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRepeats(searched); err == nil ||
		!strings.Contains(err.Error(), "no final training") {
		t.Error(err)
	}
	if _, err := ReadRepeats(filepath.Join(dir, "none-1.json")); err == nil {
		t.Error("read a missing file")
	}
}
