package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestSearchKeepsAnEnsemble: a kept ensemble works like a model, and the study reports it like the
// search.
func TestSearchKeepsAnEnsemble(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	var folder, line string
	var found map[string]any
	for seed := 1; get(found, "final.from") != "ensemble"; seed++ {
		if seed > 6 {
			t.Fatal("no search keeps an ensemble")
		}
		folder = filepath.Join(dir, fmt.Sprint("found", seed))
		line = fmt.Sprintf("search --recipe basic --budget 6 --round-size 2 --parents 4 --dim 8 "+
			"--epochs 4 --retrain-seeds 2 --ensemble 4 --dataset %s --seed %d --out %s", graph, seed, folder)
		found = object(t, line)
	}
	final := found["final"]
	members := get(final, "members").([]any)
	n := len(members)
	has(t, final, fields{"structure": nil, "seeds.#": n})
	for i, m := range members {
		has(t, m, fields{"seed": get(final, fmt.Sprintf("seeds.%d", i))})
		if n < 2 || n > 4 || get(m, "structure") == nil {
			t.Errorf("member %v of %v", m, final)
		}
	}
	has(t, found, fields{"kept.from": "ensemble", "baseline_final.from": "baseline"})
	ensemble := loadEnsemble(t, filepath.Join(folder, "model"))
	if len(ensemble.Members) != n || *ensemble.Choice.Unseen() != number(t, final, "valid_mrr") {
		t.Errorf("the folder has %+v", ensemble)
	}
	has(t, object(t, "eval --split test --dataset", graph, "--model", folder),
		fields{"members": n, "test.both.mrr": number(t, final, "test_mrr")})
	object(t, "predict --head e10 --relation near --model", folder)

	has(t, object(t, "study show", folder), fields{"final": final, "state": "finished"})
	has(t, object(t, line), fields{"final": final, "resumed": 6})
	has(t, object(t, "study best", folder, "--out", dir+"/best"),
		fields{"from": "ensemble", "members.#": n, "structure": nil})
	for _, command := range []string{line, "study show " + folder} {
		stdout, _ := succeed(t, command, "--verbose")
		contains(t, strings.Join(strings.Fields(stdout), " "),
			fmt.Sprintf("Kept: an ensemble of %d of these 10 models", n))
	}
	object(t, "report --study", folder, "--out", dir+"/page.html")
	contains(t, readFile(t, dir, "page.html"), "An ensemble", "--ensemble 4",
		fmt.Sprintf("The study keeps an ensemble of %d models", n))

	single := object(t, line, "--ensemble 0 --out", dir+"/single")
	if from := get(single, "final.from"); from != "found" && from != "baseline" {
		t.Errorf("--ensemble 0 has %v", single["final"])
	}
}
