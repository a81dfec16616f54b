package results

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/record"
)

// trainings are those on the benchmarks in the files of a folder.
func trainings(t *testing.T, folder string) []reproduce.Repeats {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "benchmark-*.json"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := reproduce.ReadRepeats(paths...)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// benchmarks are the tables of the paper's first benchmarks: the trainings in the files of a
// folder, of which there may be any number, beside what is published.
func benchmarks(t *testing.T, folder string) string {
	t.Helper()
	all := trainings(t, folder)
	var text strings.Builder
	compared := reproduce.Compare(all)
	markdown(&text, compared.Header, compared.Rows)
	var sources []string
	for _, graph := range reproduce.Benchmarks {
		for _, r := range recipe.ReportedOn(graph) {
			shown := slices.ContainsFunc(compared.Rows, func(row []string) bool { return row[0] == graph && row[1] == r.Model })
			if source := r.Model + ": " + r.Source; r.Recipe == "" && shown && !slices.Contains(sources, source) {
				sources = append(sources, source)
			}
		}
	}
	fmt.Fprintf(&text, "\nTest triples, filtered, heads and tails together; d counts real numbers. What is claimed is known from a secondary page only. Sources: %s; the others: `autoblm recipe show`.\n", strings.Join(sources, "; "))
	if len(all) == 0 {
		return text.String()
	}
	if varied := reproduce.Varied(all); len(varied.Rows) > 0 {
		text.WriteString("\nWhere trainings differ in one part alone:\n\n")
		markdown(&text, varied.Header, varied.Rows)
	}
	text.WriteString("\nValidation MRR by epoch:\n\n")
	curves := reproduce.Curves(all)
	markdown(&text, curves.Header, curves.Rows)
	text.WriteString("\nThe commands, each of which goes on where it was interrupted. Those that name the recipe n3 or rp and came to weights without n3-moduli need `--no-n3-moduli` beside it now:\n\n")
	for _, r := range all {
		first := r.Documents[0]
		seeds := ""
		if others := len(r.Documents) - 1; others > 0 {
			seeds = ", and with " + format.Count(others, "other seed")
		}
		fmt.Fprintf(&text, "- `%s`%s: %s, %s\n", first.Command, seeds, first.Machine, first.Date)
	}
	return text.String()
}

var structureText = regexp.MustCompile(`-?\d+(,-?\d+)+(;-?\d+(,-?\d+)+)+`)

// markdown writes a table, structures as code.
func markdown(w *strings.Builder, header []string, rows [][]string) {
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(header, " | "), strings.Repeat(" --- |", len(header)))
	for _, row := range rows {
		fmt.Fprintf(w, "| %s |\n", structureText.ReplaceAllString(strings.Join(row, " | "), "`$0`"))
	}
}

// TestBenchmarks: with any number of files there are tables that Markdown can show, with a row
// for each training, its curve and its command.
func TestBenchmarks(t *testing.T) {
	folder := t.TempDir()
	if none := benchmarks(t, folder); strings.Count(none, "not run yet") != len(reproduce.Benchmarks) || strings.Contains(none, "commands") {
		t.Errorf("without files:\n%s", none)
	}
	settings, err := recipe.Named("rescal", "wn18rr")
	if err != nil {
		t.Fatal(err)
	}
	settings.Training.Dim, settings.Training.Epochs = 4, 10
	engine := cpu.New(1)
	defer engine.Close()
	for seed := range uint64(2) {
		p := reproduce.Plan{Graph: enginetest.Graph(), Engine: engine, Stage: reproduce.Final, Final: settings, Seed: seed, Folder: t.TempDir()}
		p.Graph.Name = settings.Dataset
		if _, err := reproduce.Continue(t.Context(), p, record.By{Command: "autoblm reproduce wn18rr", Threads: 1}); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(p.ResultFile(), filepath.Join(folder, fmt.Sprintf("benchmark-wn18rr-rescal-%d.json", seed))); err != nil {
			t.Fatal(err)
		}
	}
	text := benchmarks(t, folder)
	for _, says := range []string{
		"| wn18rr | RESCAL, rescal | published | 256 | 512 | – | – | all | 200 | 0.498 | 0.455 | 0.577 | – |\n| wn18rr | RESCAL, rescal | here, 2 seeds | 4 | 512 | 0.1 | entity-l2 0.2, products 0.2 | all | 10 | ",
		"| fb15k | not run yet | here | – |", "| epoch 5 | epoch 10 | best |", "- `autoblm reproduce wn18rr`, and with 1 other seed: ",
	} {
		if !strings.Contains(text, says) {
			t.Errorf("it lacks %q:\n%s", says, text)
		}
	}
	for table := range strings.SplitSeq(text, "\n\n") {
		if columns := strings.Count(strings.SplitN(table, "\n", 2)[0], " | "); strings.HasPrefix(table, "| ") {
			for line := range strings.Lines(table) {
				if strings.Count(line, " |") != columns+1 {
					t.Errorf("a line has other columns than its header:\n%s", line)
				}
			}
		}
	}
}
