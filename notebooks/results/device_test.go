package results

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/dustin/go-humanize"
	"gonum.org/v1/gonum/stat"
)

// unproven is said as long as nothing was measured on a GPU.
const unproven = "Not measured: no GPU was at hand; the path is unproven on a device.\n"

// deviceResult is what a command of bench --plan measured: what they have in common,
// and what is of one of them.
type deviceResult struct {
	timings
	Backend string   `json:"backend"`
	LeftOut []string `json:"left_out"`
	Dataset string   `json:"dataset"`

	// Of autoblm train --record.
	Dim     int     `json:"dim"`
	Epochs  int     `json:"epochs"`
	Members []trial `json:"members"`
	Seconds struct {
		PerStep float64 `json:"per_step"`
	} `json:"seconds"`

	// Of autoblm reproduce.
	Final  *reproduce.Trained `json:"final"`
	Search *struct {
		Budget   int     `json:"budget"`
		Trained  int     `json:"trained"`
		Seconds  float64 `json:"seconds"`
		Overhead float64 `json:"overhead"`
		Settings struct {
			Training struct {
				Dim    int `json:"dim"`
				Epochs int `json:"epochs"`
			} `json:"training"`
		} `json:"settings"`
		Best []struct {
			Structure string  `json:"structure"`
			ValidMRR  float64 `json:"valid_mrr"`
			TestMRR   float64 `json:"test_mrr"`
		} `json:"best"`
	} `json:"search"`
}

// trial is a trained model with its metrics.
type trial struct {
	Valid, Test struct{ Both struct{ MRR float64 } }
}

// torchSteps are what steps of the PyTorch program took by itself on the same machine, in
// milliseconds; the first is of the epoch that warms up.
type torchSteps struct {
	Dataset      string
	Dim, Batch   int
	Torch        string
	Precision    string
	Milliseconds []float64 `json:"ms_per_step_per_member"`
}

// searchGoal is in how many minutes a whole search should be done.
const searchGoal = 15

// device tells what was measured on a GPU, or that nothing was.
func device(t *testing.T, files fs.FS) string {
	t.Helper()
	paths, err := fs.Glob(files, "device-*.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		return unproven
	}
	var timings, precisions, finals, searches, leftOut, where strings.Builder
	for _, file := range paths {
		var r deviceResult
		m := readFrom(t, files, file, &r)
		if kind, _, _ := strings.Cut(r.Backend, ","); !strings.Contains(path.Base(kind), "cuda") {
			t.Fatalf("%s was measured on %q, which is no GPU", file, r.Backend)
		}
		r.steps(&timings)
		r.precision(&precisions, m.Command)
		r.final(&finals)
		r.search(&searches)
		for _, what := range r.LeftOut {
			fmt.Fprintf(&leftOut, "- %s: left out: %s\n", file, what)
		}
		fmt.Fprintf(&where, "- `%s`, on %s, %s\n", m.Command, m.Machine, m.Date)
	}
	peers, err := fs.Glob(files, "torch-step-*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range peers {
		var steps torchSteps
		m := readFrom(t, files, file, &steps)
		steps.row(&precisions)
		fmt.Fprintf(&where, "- `%s`, on %s, %s\n", m.Command, m.Machine, m.Date)
	}
	var text strings.Builder
	section(&text, "A training step and a filtered ranking of the test triples, for a model; where there are several, they train or rank together. Medians of runs in turns.",
		"| what | ours | PyTorch | ratio | goal | compiling | memory: ours | PyTorch |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n", timings.String())
	section(&text, "What precision costs and gains: a training step for a model, and the mean MRR over seeds, with the standard deviation.",
		"| graph | scores | step | valid MRR | test MRR |\n| --- | --- | --- | --- | --- |\n", precisions.String())
	section(&text, "Final trainings: one seed, chosen by validation.",
		"| graph | model | d | batch | epochs | an epoch | valid MRR after so many epochs | test MRR | published |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n", finals.String())
	section(&text, "Whole searches with AutoBLM+.", "", searches.String())
	section(&text, "Not all was measured.", "", leftOut.String())
	section(&text, "The commands, to which `--no-n3-moduli` is to be added now where they name the recipe rp:", "", where.String())
	return text.String()
}

// section writes a part, unless it is empty.
func section(text *strings.Builder, about, header, rows string) {
	if rows == "" {
		return
	}
	if text.Len() > 0 {
		text.WriteString("\n")
	}
	fmt.Fprintf(text, "%s\n\n%s%s", about, header, rows)
}

func (r deviceResult) steps(w *strings.Builder) {
	for _, c := range r.Cases {
		ours, peer, ratio := record.Median(c.Ours[c.Precision]), "–", "–"
		if c.Fastest != "" {
			peer, ratio = milliseconds(record.Median(c.Peers[c.Fastest])), fmt.Sprintf("%.2f", c.Ratio)
		}
		goal := fmt.Sprintf("%g", c.Goal)
		if c.Within > 0 {
			goal += fmt.Sprintf(", %g s", c.Within)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %.1f s | %s | %s |\n", c.Name, milliseconds(ours), peer, ratio, goal, c.Compile, memory(c.OurMemory), memory(c.PeerMemory))
	}
}

func milliseconds(seconds float64) string { return fmt.Sprintf("%.2f ms", 1e3*seconds) }

func memory(bytes uint64) string {
	if bytes == 0 {
		return "–"
	}
	return humanize.IBytes(bytes)
}

func (r deviceResult) precision(w *strings.Builder, command string) {
	if r.Seconds.PerStep == 0 {
		return
	}
	scores := "float32"
	if strings.Contains(command, "--precision bfloat16") {
		scores = "bfloat16"
	} else if strings.Contains(r.Backend, "tf32=true") {
		scores = "TF32"
	}
	var valid, test []float64
	for _, m := range r.Members {
		valid, test = append(valid, m.Valid.Both.MRR), append(test, m.Test.Both.MRR)
	}
	fmt.Fprintf(w, "| %s, d %d, %d epochs | %s | %s | %s | %s |\n", r.Dataset, r.Dim, r.Epochs, scores, milliseconds(r.Seconds.PerStep), spread(valid), spread(test))
}

func (s torchSteps) row(w *strings.Builder) {
	scores := s.Precision
	if scores == "float32" {
		scores = "TF32" // which the program allows
	}
	fmt.Fprintf(w, "| PyTorch %s: %s, d %d, batch %d | %s | %s | – | – |\n", s.Torch, s.Dataset, s.Dim, s.Batch, scores, milliseconds(record.Median(s.Milliseconds[1:])/1e3))
}

func spread(x []float64) string {
	if len(x) == 0 {
		return "–"
	}
	mean, deviation := stat.MeanStdDev(x, nil)
	return fmt.Sprintf("%.4f ± %.4f", mean, deviation)
}

func (r deviceResult) final(w *strings.Builder) {
	f := r.Final
	if f == nil || f.Test == nil { // none, or not at its end
		return
	}
	s, published := f.Training.Settings, "–"
	if f.Published != nil {
		published = fmt.Sprintf("%.3f", f.Published.MRR)
	}
	var validations []string
	for _, v := range f.Validations {
		validations = append(validations, fmt.Sprintf("%d: %.4f", v.Epoch, v.MRR))
	}
	fmt.Fprintf(w, "| %s | %s, %s, %s | %d | %d | %d | %.2f s | %s | %.4f | %s |\n", r.Dataset, f.Title(), f.Recipe, f.Precision, s.Dim, s.Batch, f.Epochs, f.Seconds.Train/float64(f.Epochs), strings.Join(validations, ", "), f.Test.Both.MRR, published)
}

func (r deviceResult) search(w *strings.Builder) {
	s := r.Search
	if s == nil {
		return
	}
	done := "all"
	if s.Trained < s.Budget {
		done = fmt.Sprintf("only %d", s.Trained)
	}
	fmt.Fprintf(w, "- %s, d %d, %d epochs: %s of %d structures in %.1f minutes (goal: all in %d)", r.Dataset, s.Settings.Training.Dim, s.Settings.Training.Epochs, done, s.Budget, (s.Seconds+s.Overhead)/60, searchGoal)
	if len(s.Best) > 0 {
		fmt.Fprintf(w, "; the best, `%s`, has the valid MRR %.3f and the test MRR %.3f", s.Best[0].Structure, s.Best[0].ValidMRR, s.Best[0].TestMRR)
	}
	fmt.Fprintln(w, ".")
}

func TestDeviceTables(t *testing.T) {
	if got := device(t, fstest.MapFS{"bench-cpu.json": {Data: []byte("{}")}}); got != unproven {
		t.Errorf("without a GPU it says\n%s", got)
	}
	file := func(result string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`{"command": "./bench --backend xla:cuda", "date": "2030-01-02", "machine": "an H200", "result": ` + result + `}`)}
	}
	text := device(t, fstest.MapFS{
		"device-a.json": file(`{"backend": "xla:cuda", "left_out": ["step-b: out of memory"], "cases": [
			{"name": "steps of a", "goal": 0.5, "precision": "float32", "ours": {"float32": [0.004, 0.002, 0.003]}, "peers": {"torch": [0.006, 0.006, 0.006]}, "fastest": "torch", "ratio": 0.5, "compile": 7.5, "our_memory": 3221225472, "peer_memory": 1073741824},
			{"name": "ranks of a", "goal": 1, "within": 1, "precision": "float32", "ours": {"float32": [0.5]}, "compile": 1}]}`),
		"device-b.json": file(`{"backend": "xla:…/xla_cuda_plugin.so,tf32=true", "dataset": "a", "dim": 64, "epochs": 20, "seconds": {"per_step": 0.001}, "members": [
			{"valid": {"both": {"mrr": 0.25}}, "test": {"both": {"mrr": 0.5}}}, {"valid": {"both": {"mrr": 0.75}}, "test": {"both": {"mrr": 0.5}}}]}`),
		"device-c.json": file(`{"backend": "xla:cuda", "dataset": "a", "search": {"settings": {"training": {"dim": 64, "epochs": 50}}, "budget": 256, "trained": 100, "seconds": 290, "overhead": 10,
			"best": [{"structure": "1,0;0,2", "valid_mrr": 0.25, "test_mrr": 0.5}]}}`),
		"device-d.json": file(`{"backend": "xla:cuda", "dataset": "a", "final": {"recipe": "rp", "training": {"settings": {"dim": 8, "batch": 500}, "member": {"structure": "1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2"}}, "precision": "bfloat16", "epochs": 4,
			"seconds": {"train": 10}, "validations": [{"epoch": 2, "mrr": 0.25}, {"epoch": 4, "mrr": 0.5}], "test": {"both": {"mrr": 0.375}}, "published": {"mrr": 0.5}}}`),
		"torch-step-a.json": file(`{"dataset": "a", "dim": 8, "batch": 500, "torch": "2.11", "precision": "float32", "ms_per_step_per_member": [9, 2, 3, 4]}`),
	})
	for _, line := range []string{
		"| steps of a | 3.00 ms | 6.00 ms | 0.50 | 0.5 | 7.5 s | 3.0 GiB | 1.0 GiB |",
		"| ranks of a | 500.00 ms | – | – | 1, 1 s | 1.0 s | – | – |",
		"| a, d 64, 20 epochs | TF32 | 1.00 ms | 0.5000 ± 0.3536 | 0.5000 ± 0.0000 |",
		"- a, d 64, 50 epochs: only 100 of 256 structures in 5.0 minutes (goal: all in 15); the best, `1,0;0,2`, has the valid MRR 0.250 and the test MRR 0.500.",
		"| a | ComplEx, rp, bfloat16 | 8 | 500 | 4 | 2.50 s | 2: 0.2500, 4: 0.5000 | 0.3750 | 0.500 |",
		"| PyTorch 2.11: a, d 8, batch 500 | TF32 | 3.00 ms | – | – |",
		"- device-a.json: left out: step-b: out of memory",
		"- `./bench --backend xla:cuda`, on an H200, 2030-01-02",
	} {
		if !slices.Contains(strings.Split(text, "\n"), line) {
			t.Errorf("there is no line %q in\n%s", line, text)
		}
	}
	if strings.Contains(text, strings.TrimSpace(unproven)) {
		t.Error("what was measured is said not to be")
	}
}
