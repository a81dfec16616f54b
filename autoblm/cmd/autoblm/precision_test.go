package main

import (
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
	for flags, want := range map[string]string{
		"":                                  "float32",
		"--precision auto":                  "float32", // of so few entities
		"--precision float32":               "float32",
		"--backend go --precision bfloat16": "bfloat16",
	} {
		out := t.TempDir() + "/model"
		train := "train --dataset " + graph + quick + " --out " + out + " " + flags
		has(t, object(t, train), fields{"precision": want})
		m, err := kge.Load(out)
		if err != nil || m.Training.Settings.Precision.String() != want {
			t.Errorf("train %s: the model has %v, %v", flags, m.Training.Settings.Precision, err)
		}
		eval := "eval --dataset " + graph + " --backend go --model " + out + " --precision "
		for asked, want := range map[string]string{"auto": "float32", "float32": "float32",
			"bfloat16": "bfloat16"} {
			has(t, object(t, eval, asked), fields{"precision": want})
		}
		object(t, "predict --head e10 --relation near --model", out)
		text, _ := succeed(t, eval, "bfloat16")
		contains(t, text, "d 8, bfloat16 ")
		text, _ = succeed(t, train)
		if strings.Contains(text, "d 8, bfloat16 ") != (want == "bfloat16") ||
			strings.Contains(text, "float32") {
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
	for precision, want := range map[string]string{"float32": uses.Vectors,
		"bfloat16": uses.Vectors + "+" + uses.Bfloat16} {
		dir, flags := t.TempDir(), " --engine cpu --precision "+precision
		backend := fields{"backend": want}
		has(t, object(t, "train --dataset umls --out", dir+"/model", quick, flags), backend)
		has(t, object(t, "eval --dataset umls --model", dir+"/model", flags), backend)
		has(t, object(t, "reproduce umls --stage final --out", dir, quick, flags),
			fields{"result.backend": want})
		has(t, object(t, searchIn(dir, "umls"), flags), fields{"engines": []string{"cpu (" + want + ")"}})
	}
}

// TestPrecisionOfSearches: a study has its resolved precision, resumes with it, and refuses
// another.
func TestPrecisionOfSearches(t *testing.T) {
	t.Setenv(kge.PrecisionVariable, "")
	dir := t.TempDir()
	file := dir + "/study.db"
	search := searchIn(dir, smallGraph(t)) + " --backend go"
	resume := "study resume --backend go " + file
	has(t, object(t, search, "--precision bfloat16"), fields{"precision": "bfloat16"})
	has(t, object(t, "study show", file), fields{
		"precision": "bfloat16", "recipe.training.precision": "bfloat16",
		"settings.training.precision": "bfloat16",
	})
	text, _ := succeed(t, "study show --verbose", file)
	contains(t, text, "gomlx (go), bfloat16")
	for _, line := range []string{search, resume} {
		o := object(t, line)
		has(t, o, fields{"precision": "bfloat16", "resumed": o["trained"]})
	}
	fail(t, cli.Failed, "precision bfloat16 there, float32 here", search, "--precision float32")
	object(t, "report --study", file, "--out", dir+"/report.html")
	contains(t, readFile(t, dir, "report.html"), "d 8, bfloat16, ")
	has(t, object(t, "study best", file), fields{"precision": "bfloat16"})
}

// TestPrecisionVariable: the variable sets auto, but not a named precision. Classes and distances
// have float32.
func TestPrecisionVariable(t *testing.T) {
	graph := smallGraph(t)
	t.Chdir(t.TempDir())
	train := "train --dim 8 --epochs 1 --dataset " + graph
	structure, distance := train+" --structure simple --backend go", train+" --model transe"
	for variable, want := range map[string]string{"bfloat16": "bfloat16", "float32": "float32",
		"auto": "float32", "": "float32"} {
		t.Setenv(kge.PrecisionVariable, variable)
		has(t, object(t, structure), fields{"precision": want})
		has(t, object(t, structure, "--precision bfloat16"), fields{"precision": "bfloat16"})
		has(t, object(t, distance), fields{"precision": "float32"})
		if variable == "" {
			variable = "auto"
		}
		listed := object(t, "backend list")
		has(t, listed, fields{"precision": variable})
		if get(listed, "cpu.vectors") == "" {
			t.Errorf("%v", listed)
		}
	}
	t.Setenv(kge.PrecisionVariable, "half")
	const unknown = `AUTOBLM_PRECISION: unknown precision "half"`
	listed := object(t, "backend list")
	has(t, listed, fields{"error": ""})
	contains(t, listed["precision_error"].(string), unknown)
	text, _ := succeed(t, "backend list")
	contains(t, flat(text), "The default ", "The default of --precision is invalid: "+unknown)
	if strings.Contains(text, "unusable: ") {
		t.Errorf("backend list:\n%s", text)
	}
	fail(t, cli.Failed, unknown, structure)
	fail(t, cli.Failed, unknown, distance)
	t.Setenv(kge.PrecisionVariable, "")
	fail(t, cli.Failed, "leave the precision at float32 or auto", distance, "--precision bfloat16")
	fail(t, cli.Misuse, "float32 only", "search --recipe basic --task classify --precision bfloat16",
		"--dataset", graph)
}

// TestPrecisionOfReproductions: both stages have the resolved precision and resume with it.
func TestPrecisionOfReproductions(t *testing.T) {
	t.Setenv(kge.PrecisionVariable, "")
	standIn(t, "umls")
	reproduce := "reproduce umls --budget 2 --dim 8 --epochs 1 --backend go --out " + t.TempDir()
	for _, flags := range []string{"--precision bfloat16", ""} {
		has(t, object(t, reproduce, flags), fields{
			"result.search.precision": "bfloat16", "result.final.precision": "bfloat16",
		})
	}
	fail(t, cli.Failed, "", reproduce, "--precision=float32")
}
