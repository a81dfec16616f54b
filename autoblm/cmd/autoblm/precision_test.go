package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestPrecisionInOutput: JSON has the resolved precision; text has it if it is not float32.
func TestPrecisionInOutput(t *testing.T) {
	t.Setenv(kge.PrecisionVariable, "")
	graph := smallGraph(t)
	training := []string{"train", "--dataset", graph, "--structure", "simple", "--dim", "8",
		"--epochs", "1"}
	for flags, want := range map[string]string{
		"":                                  "float32",
		"--precision auto":                  "float32", // of so few entities
		"--precision float32":               "float32",
		"--backend go --precision bfloat16": "bfloat16",
	} {
		out := filepath.Join(t.TempDir(), "model")
		arguments := append(append(training, "--out", out), strings.Fields(flags)...)
		if got := object(t, arguments...)["precision"]; got != want {
			t.Errorf("train %s: precision %v, want %s", flags, got, want)
		}
		m, err := kge.Load(out)
		if err != nil || m.Training.Settings.Precision.String() != want {
			t.Errorf("train %s: the model has %v, %v", flags, m.Training.Settings.Precision, err)
		}
		evaluation := []string{"eval", "--model", out, "--dataset", graph, "--backend", "go"}
		for asked, want := range map[string]string{"auto": "float32", "float32": "float32",
			"bfloat16": "bfloat16"} {
			if got := object(t, append(evaluation, "--precision", asked)...)["precision"]; got != want {
				t.Errorf("eval in %s: precision %v", asked, got)
			}
		}
		object(t, "predict", "--model", out, "--head", "e10", "--relation", "near")
		_, text, _ := invoke(t.Context(), append(evaluation, "--precision", "bfloat16")...)
		if !strings.Contains(text, "d 8, bfloat16: ") {
			t.Errorf("eval says %q", text)
		}
		if _, text, _ := invoke(t.Context(), arguments...); strings.Contains(text,
			"d 8, bfloat16: ") != (want == "bfloat16") || strings.Contains(text, "float32") {
			t.Errorf("train %s says %q", flags, text)
		}
	}
}

// TestUnitInOutput: JSON names the matrix unit of bfloat16, and only vectors for float32.
func TestUnitInOutput(t *testing.T) {
	t.Setenv(kge.PrecisionVariable, "")
	uses := cpu.DetectInstructions()
	if uses.Bfloat16 == "" {
		t.Skip("this processor has no fast products of bfloat16 numbers")
	}
	standIn(t, "umls")
	dir := t.TempDir()
	for precision, want := range map[string]string{"float32": uses.Vectors, "bfloat16": uses.Vectors +
		"+" + uses.Bfloat16} {
		by := []string{"--engine", "cpu", "--precision", precision}
		small := append([]string{"--structure", "simple", "--dim", "8", "--epochs", "1"}, by...)
		model, again := filepath.Join(dir, precision), filepath.Join(dir, precision+"-again")
		object(t, append([]string{"reproduce", "umls", "--stage", "final", "--out", again}, small...)...)
		found := object(t, searchArguments("umls", again, by...)...)["engines"]
		for what, got := range map[string]any{
			"train": object(t, append([]string{"train", "--dataset", "umls", "--out", model},
				small...)...)["backend"],
			"eval": object(t, append([]string{"eval", "--model", model, "--dataset", "umls"},
				by...)...)["backend"],
			"reproduce": readResult(t, again).Result.Backend,
		} {
			if got != want {
				t.Errorf("%s in %s: backend %v, want %s", what, precision, got, want)
			}
		}
		if !reflect.DeepEqual(found, []any{"cpu (" + want + ")"}) {
			t.Errorf("a search in %s: engines %v, want cpu (%s)", precision, found, want)
		}
	}
}

// TestPrecisionOfSearches: a study has its resolved precision, resumes with it, and refuses
// another.
func TestPrecisionOfSearches(t *testing.T) {
	t.Setenv(kge.PrecisionVariable, "")
	graph, dir := smallGraph(t), t.TempDir()
	file := filepath.Join(dir, "study.db")
	search := func(more ...string) []string {
		return searchArguments(graph, dir, append(more, "--backend", "go")...)
	}
	if got := object(t, search("--precision", "bfloat16")...)["precision"]; got != "bfloat16" {
		t.Errorf("search: precision %v", got)
	}
	shown := object(t, "study", "show", file)
	recipe := shown["recipe"].(map[string]any)["training"].(map[string]any)
	settings := shown["settings"].(map[string]any)["training"].(map[string]any)
	if shown["precision"] != "bfloat16" || recipe["precision"] != "bfloat16" ||
		settings["precision"] != "bfloat16" {
		t.Errorf("study show: %v, recipe %v, settings %v", shown["precision"], recipe["precision"],
			settings["precision"])
	}
	if _, text, _ := invoke(t.Context(), "study", "show", file); !strings.Contains(text,
		"gomlx (go), bfloat16") {
		t.Errorf("study show says %q", text)
	}
	for _, arguments := range [][]string{search(), {"study", "resume", file, "--backend", "go"},
		{"study", "resume", file, "--backend", "go", "--precision", "bfloat16"}} {
		if o := object(t, arguments...); o["precision"] != "bfloat16" || o["resumed"] != o["trained"] {
			t.Errorf("%v: precision %v, %v of %v resumed", arguments, o["precision"], o["resumed"],
				o["trained"])
		}
	}
	for _, arguments := range [][]string{search("--precision", "float32"),
		{"study", "resume", file, "--backend", "go", "--precision", "float32"}} {
		if status, _, stderr := invoke(t.Context(), arguments...); status != cli.Failed ||
			!strings.Contains(stderr, "precision bfloat16 there, float32 here") {
			t.Errorf("%v: status %d, %q", arguments, status, stderr)
		}
	}
	page := filepath.Join(dir, "report.html")
	object(t, "report", "--study", file, "--out", page)
	content, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(content), "d 8, bfloat16, ") {
		t.Errorf("the report lacks the precision (%v)", err)
	}
	if o := object(t, "study", "best", file); o["precision"] != "bfloat16" {
		t.Errorf("study best: precision %v", o["precision"])
	}
}

// TestPrecisionVariable: the variable sets auto, but not a named precision. Classes and distances
// have float32.
func TestPrecisionVariable(t *testing.T) {
	graph := smallGraph(t)
	training := func(more ...string) []string {
		return append([]string{"train", "--dataset", graph, "--dim", "8", "--epochs", "1", "--out",
			t.TempDir()}, more...)
	}
	for variable, want := range map[string]string{"bfloat16": "bfloat16", "float32": "float32",
		"auto": "float32", "": "float32"} {
		t.Setenv(kge.PrecisionVariable, variable)
		if got := object(t, training("--structure", "simple", "--backend",
			"go")...)["precision"]; got != want {
			t.Errorf("%s=%s: precision %v", kge.PrecisionVariable, variable, got)
		}
		if got := object(t, training("--structure", "simple", "--backend", "go", "--precision",
			"bfloat16")...)["precision"]; got != "bfloat16" {
			t.Errorf("%s=%s and --precision bfloat16: precision %v", kge.PrecisionVariable, variable, got)
		}
		if got := object(t, training("--model", "transe")...)["precision"]; got != "float32" {
			t.Errorf("%s=%s with distances: precision %v", kge.PrecisionVariable, variable, got)
		}
		listed := object(t, "backend", "list")
		if cpu := listed["cpu"].(map[string]any); cpu["vectors"] == "" ||
			listed["precision"] != map[bool]string{true: variable, false: "auto"}[variable != ""] {
			t.Errorf("%s=%s: backend list has %v, %v", kge.PrecisionVariable, variable, cpu,
				listed["precision"])
		}
	}
	t.Setenv(kge.PrecisionVariable, "half")
	if listed := object(t, "backend", "list"); listed["error"] != "" ||
		!strings.Contains(listed["precision_error"].(string),
			`AUTOBLM_PRECISION: unknown precision "half"`) {
		t.Errorf("backend list has the errors %v and %v", listed["error"], listed["precision_error"])
	}
	if _, text, _ := invoke(t.Context(), "backend", "list"); !strings.Contains(text, "The default ") ||
		strings.Contains(text, "unusable: ") ||
		!strings.Contains(text, "The default of --precision is invalid: AUTOBLM_PRECISION: unknown") {
		t.Errorf("backend list:\n%s", text)
	}
	for _, arguments := range [][]string{training("--structure", "simple", "--backend", "go"),
		training("--model", "transe")} {
		if status, _, stderr := invoke(t.Context(), arguments...); status != cli.Failed ||
			!strings.Contains(stderr, `AUTOBLM_PRECISION: unknown precision "half"`) {
			t.Errorf("%v: status %d, %q", arguments, status, stderr)
		}
	}
	t.Setenv(kge.PrecisionVariable, "")
	if status, _, stderr := invoke(t.Context(),
		training("--model", "transe", "--precision", "bfloat16")...); status != cli.Failed ||
		!strings.Contains(stderr, "leave the precision at float32 or auto") {
		t.Errorf("distances in bfloat16: status %d, %q", status, stderr)
	}
	if status, _, stderr := invoke(t.Context(), "search", "--recipe", "basic", "--task", "classify",
		"--dataset", graph, "--precision", "bfloat16"); status != cli.Misuse ||
		!strings.Contains(stderr, "float32 only") {
		t.Errorf("classes in bfloat16: status %d, %q", status, stderr)
	}
}

// TestPrecisionOfReproductions: both stages have the resolved precision and resume with it.
func TestPrecisionOfReproductions(t *testing.T) {
	t.Setenv(kge.PrecisionVariable, "")
	data, graph := t.TempDir(), smallGraph(t)
	if err := os.CopyFS(filepath.Join(data, "umls"), os.DirFS(graph)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AUTOBLM_DATA", data)
	out := t.TempDir()
	arguments := []string{"reproduce", "umls", "--budget", "2", "--dim", "8", "--epochs", "1",
		"--backend", "go", "--out", out}
	for _, more := range [][]string{{"--precision", "bfloat16"}, {}} {
		result := object(t, append(arguments, more...)...)["result"].(map[string]any)
		for _, stage := range []string{"search", "final"} {
			if got := result[stage].(map[string]any)["precision"]; got != "bfloat16" {
				text, _ := json.Marshal(result[stage])
				t.Errorf("%v: the %s has precision %v: %s", more, stage, got, text)
			}
		}
	}
	for _, flag := range []string{"--precision=float32"} {
		if status, _, stderr := invoke(t.Context(), append(arguments, flag)...); status != cli.Failed {
			t.Errorf("%s: status %d, %q", flag, status, stderr)
		}
	}
}
