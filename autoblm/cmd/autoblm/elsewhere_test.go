package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// readModel is the program that reads models elsewhere.
const readModel = "../../../docs/read_model.py"

// TestReadmeShowsHowToReadAModel: the README has the program in the file.
func TestReadmeShowsHowToReadAModel(t *testing.T) {
	program, err := os.ReadFile(readModel)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```python\n"+string(program)+"```\n") {
		t.Error("README.md does not show docs/read_model.py as it is")
	}
}

// TestPythonReadsModels: a program in Python with numpy gives the answers of autoblm predict.
func TestPythonReadsModels(t *testing.T) {
	python := cmp.Or(os.Getenv("AUTOBLM_PYTHON"), "python3")
	if out, err := exec.Command(python, "-c", "import numpy").CombinedOutput(); err != nil {
		t.Skipf("there is no %s with numpy (AUTOBLM_PYTHON names another): %v: %s", python, err, out)
	}
	for name, flags := range map[string][]string{
		"not symmetric": {"--structure", "0,-1,0;2,0,0;0,3,-2", "--dim", "12"},
		"complex":       {"--structure", "complex", "--dim", "16"},
		"reciprocal":    {"--structure", "simple", "--dim", "16", "--reciprocal"},
	} {
		model := filepath.Join(t.TempDir(), "model")
		object(t, append([]string{"train", "--dataset", "world", "--epochs", "3", "--no-eval", "--out",
			model}, flags...)...)
		for asked, query := range map[string][]string{
			"tails": {"--head", "Portugal", "--relation", "speaks"},
			"heads": {"--tail", "Spain", "--relation", "borders"},
		} {
			words := []string{readModel, model, "Portugal", "speaks", "?"}
			if asked == "heads" {
				words = []string{readModel, model, "?", "borders", "Spain"}
			}
			out, err := exec.Command(python, words...).CombinedOutput()
			if err != nil {
				t.Fatalf("%s, %s: %v: %s", name, asked, err, out)
			}
			lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
			answers := object(t, append([]string{"predict", "--model", model, "--top", "10"},
				query...)...)["answers"].([]any)
			if len(lines) != 10 || len(answers) != 10 {
				t.Fatalf("%s, %s: %d answers, want %d", name, asked, len(lines), len(answers))
			}
			for i, answer := range answers {
				want := answer.(map[string]any)
				score, entity, _ := strings.Cut(lines[i], "\t")
				var got float64
				if _, err := fmt.Sscan(score, &got); err != nil || entity != want["entity"] ||
					math.Abs(got-want["score"].(float64)) > 1e-4 {
					t.Errorf("%s, %s: answer %d is %q, want %v with %v", name, asked, i+1, lines[i],
						want["entity"], want["score"])
				}
			}
		}
	}
}
