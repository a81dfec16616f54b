package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestPredictExplain compares the training triples for answers in all formats.
func TestPredictExplain(t *testing.T) {
	dir := t.TempDir()
	graph, model := smallGraph(t), " --model "+dir+"/model"
	object(t, "train --dataset", graph, quick, "--out", dir+"/model")
	file := writeFile(t, "e10\tnear\t?\n?\tnear\te10\ne10\tnear\te12\n", dir, "queries.tsv")
	ask := "predict --top 2 --explain 3 --queries " + file + model
	inTrain := readFile(t, graph, "train.txt")
	var want []string // the triple and its first reasons
	for _, p := range object(t, ask)["predictions"].([]any) {
		for _, a := range get(p, "answers").([]any) {
			because := get(a, "because").([]any)
			if len(because) == 0 || len(because) > 3 {
				t.Errorf("%v", a)
			}
			for _, b := range because {
				fact := fmt.Sprintf("%s\t%s\t%s", get(b, "head"), get(b, "relation"), get(b, "tail"))
				contains(t, inTrain, fact+"\n")
				want = append(want, fact+fmt.Sprintf("\t%v", get(b, "influence")))
			}
		}
	}
	var lines []string
	stdout, _ := succeed(t, ask, "--format jsonl")
	for line := range strings.Lines(stdout) {
		var r row
		must(t, json.Unmarshal([]byte(line), &r))
		for _, b := range r.Because {
			lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%v", b.Head, b.Relation, b.Tail, b.Influence))
		}
	}
	same(t, "JSON lines", lines, want)
	stdout, _ = succeed(t, ask, "--format csv")
	records, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	must(t, err)
	lines = nil
	for _, record := range records[1:] {
		lines = append(lines, strings.Join(record[len(record)-4:], "\t"))
	}
	same(t, "CSV", lines, want)

	// More queries than are explained together have the answers that they have without reasons.
	many := writeFile(t, strings.Repeat("e10\tnear\t?\n?\tnear\te12\n", 10), dir, "many.tsv")
	ask = "predict --top 2 --queries " + many + model
	explained := object(t, ask, "--explain 1")
	for _, p := range explained["predictions"].([]any) {
		for _, a := range get(p, "answers").([]any) {
			delete(a.(map[string]any), "because")
		}
	}
	same(t, "many queries", explained["predictions"], object(t, ask)["predictions"])

	stdout, _ = succeed(t, "predict --top 1 --explain 2 --head e10 --relation near", model)
	contains(t, stdout, "because", "influence", "approximates")
	keep := " --any --known keep --head e10 --relation near"
	has(t, object(t, "predict --top 1 --explain 1", model, keep), fields{"answers.0.because.#": 1})
	refuse(t, []refusal{{cli.Misuse, "without --explain", "predict --all --explain 1" + model}})
}
