package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// readModel is the program that reads models elsewhere.
const readModel = "../../../docs/read_model.py"

// TestPythonReadsModels: a program in Python with numpy gives the answers of autoblm predict.
func TestPythonReadsModels(t *testing.T) {
	python := cmp.Or(os.Getenv("AUTOBLM_PYTHON"), "python3")
	if out, err := exec.Command(python, "-c", "import numpy").CombinedOutput(); err != nil {
		t.Skipf("there is no %s with numpy (AUTOBLM_PYTHON names another): %v: %s", python, err, out)
	}
	folder := t.TempDir()
	train := func(name, flags string) string {
		object(t, "train --dataset world --epochs 3 --no-eval --out", folder+"/"+name, flags)
		return folder + "/" + name
	}
	complEx, simplE := train("complex", "--structure complex --dim 16"),
		train("simple", "--structure simple --dim 16 --reciprocal")
	object(t, "ensemble --dataset world --all --out", folder+"/ensemble", complEx, simplE)
	weighed := folder + "/weighed"
	copyFolder(t, weighed, folder+"/ensemble")
	description := readFile(t, weighed+"/model.json")
	writeFile(t, strings.Replace(description, "{",
		`{"weights":{"shared":[0.2,0.8],"by_relation":{"speaks":[0.9,0.1]}},`, 1), weighed, "model.json")
	for _, model := range []string{
		train("asymmetric", "--structure 0,-1,0;2,0,0;0,3,-2 --dim 12"), complEx, simplE,
		folder + "/ensemble", weighed,
	} {
		for asked, query := range map[string]string{
			"Portugal speaks ?": "--head Portugal --relation speaks",
			"? borders Spain":   "--tail Spain --relation borders",
		} {
			out, err := exec.Command(python, words([]string{readModel, model, asked})...).CombinedOutput()
			if err != nil {
				t.Fatalf("%s, %s: %v: %s", model, asked, err, out)
			}
			lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
			answers := object(t, "predict --any --top 10 --model", model, query)["answers"].([]any)
			if len(lines) != 10 || len(answers) != 10 {
				t.Fatalf("%s, %s: %d answers, want %d", model, asked, len(lines), len(answers))
			}
			for i, want := range answers {
				score, entity, _ := strings.Cut(lines[i], "\t")
				var got float64
				if _, err := fmt.Sscan(score, &got); err != nil || entity != get(want, "entity") ||
					math.Abs(got-number(t, want, "score")) > 1e-4 {
					t.Errorf("%s, %s: answer %d is %q, want %v", model, asked, i+1, lines[i], want)
				}
			}
		}
	}
	classifier, _ := classified(t, "--runs 0")
	out, err := exec.Command(python, readModel, classifier, "x:3", "r:0", "?").CombinedOutput()
	if err == nil || string(out) != classifier+
		": the model classifies nodes, which this program does not do\n" {
		t.Errorf("%v: %s", err, out)
	}
}
