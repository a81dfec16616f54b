package main

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestSearchAxes: a search with several numbers of chunks and own recipes has dense blocks among its
// baselines, gives all models the same number of recipes, and names the recipe of the kept model. A
// search with several chunks resumes with a larger budget.
func TestSearchAxes(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	line := searchIn(dir, graph) + "--k 2,4 --tune-each 2 --reciprocal"
	o := object(t, line)
	has(t, o, fields{
		"k": 4, "fewer_k.0": 2, "trained": 10, "baselines.#": 7, "baselines.5.name": "block-2",
		"baselines.6.name": "block-4", "tuned_each.#": 10,
	})
	number(t, o, "baselines.6.valid_mrr")
	shown := object(t, "study show", dir)
	has(t, shown, fields{"tuned_each.#": 10, "settings.fewer_k.0": 2})
	number(t, shown, "tuned_each.0.weights.l2")
	text, _ := succeed(t, "study show --verbose", dir)
	contains(t, text, "Recipe of the kept model: ", "best recipe of each", "block-4")
	page := dir + "/page.html"
	object(t, "report --study", dir, "--out", page)
	contains(t, readFile(t, page), "Tuning of each model", "block-2")
	text, _ = succeed(t, "study export --csv", dir)
	if n := strings.Count(text, ",tune each,"); n != 10*(2+1) {
		t.Errorf("%d trials tuned the recipes of 10 models", n)
	}
	has(t, object(t, "study resume --budget 14", dir), fields{"resumed": 10, "trained": 14})
	refuse(t, []refusal{
		{cli.Misuse, "each number must be at least 2 and divide the largest, 4", "search --k 3,4"},
		{cli.Misuse, "no penalties to tune", "search --task query --tune-each 2"},
		{cli.Misuse, "tune-each", "search --task classify --tune-each 2"},
		{cli.Misuse, "it must divide the number of chunks", "search --k 2,4 --n3-block 4"},
	})
}
