package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestEveryCommandWarns: each command prints the warnings of its data, also as JSON.
func TestEveryCommandWarns(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("AUTOBLM_DATA", dir)
	sound := smallGraph(t)
	copyFolder(t, "umls", sound)
	writeFile(t, "head\trelation\ttail\n"+readFile(t, "umls/train.txt"), "umls", "train.txt")
	classes := " --dataset " +
		kinds(t, func(files map[string]string) { files["graph.nt"] += "no triple\n" })
	for name, content := range map[string]string{
		"entities.txt": "0\ta\n1\tb\n2\tc\n3\td\n", "relations.txt": "0\tr\n1\tr_reverse\n",
		"train-1p.txt": "0\t0\t1\n1\t0\t2\n", "valid-1p.txt": "0\t0\t2\n",
		"test-1p.txt": "3\t0\t0\n1\t0\t0\n",
	} {
		writeFile(t, content, "asked", name)
	}
	writeFile(t, "a\tr\tb\na \tr\tc\n", "alike.tsv")
	const (
		graph   = " --dataset ./umls"
		titled  = "autoblm: warning: the first line of "
		alike   = "autoblm: warning: alike has 1 entity label with a look-alike"
		skipped = "autoblm: warning: skipped 1 malformed line"
		unseen  = "autoblm: warning: 1 of 2 test queries cannot be learned"
	)
	tried := map[string]bool{}
	for _, c := range []struct{ line, want string }{
		{"train --out model" + graph + quick, titled},
		{"eval --model model" + graph, titled},
		{"train --seed 2 --out other" + graph + quick, titled},
		{"ensemble model other --all --out ensemble" + graph, titled},
		{"predict --model model --head head --relation relation" + graph, titled},
		{"dataset info ./umls", titled},
		{"dataset import alike.tsv --out split", alike},
		{"search --recipe basic --study s.db --out found" + graph + quickSearch, titled},
		{"report --study s.db --out page.html" + graph, titled},
		{"study resume s.db --budget 3" + graph, titled},
		{"ablate filter --seeds 1 --out ablated" + graph + quickSearch, titled},
		{"reproduce umls --stage final --out reproduced" + quick, titled},
		{"query train --out paths" + graph + quick, titled},
		{"query sample --hops 2 --count 5 --split train --out queries" + graph, titled},
		{"query train --dataset asked --hops 1 --out asked-model" + quick, unseen},
		{"query eval --dataset asked --model asked-model", unseen},
		{"query predict --model paths --anchor head --path relation" + graph, titled},
		{"classify train --lenient --out kind --structure distmult --dim 8 --epochs 2 --runs 1" +
			classes, skipped},
		{"classify eval --model kind" + classes, skipped},
		{"classify predict --model kind --node x:6" + classes, skipped},
	} {
		parsed := strings.Fields(c.line)
		tried[parsed[0]], tried[parsed[0]+" "+parsed[1]] = true, true
		var result struct{ Warnings []string }
		stdout, stderr := succeed(t, c.line, "--json")
		must(t, json.Unmarshal([]byte(stdout), &result))
		said := func(warning string) bool { return strings.HasPrefix("autoblm: warning: "+warning, c.want) }
		if n := strings.Count(stderr, c.want); n != 1 || !slices.ContainsFunc(result.Warnings, said) {
			t.Errorf("%q says %d times %q: %q, %q", c.line, n, c.want, stderr, result.Warnings)
		}
	}
	if _, stderr := succeed(t, "train --no-eval --dataset world", quick); strings.Contains(stderr, "warning") {
		t.Errorf("of sound data: %q", stderr)
	}

	// No command that takes data is missing above.
	none := []string{"dataset fetch", "recipe list", "recipe show", // which open none
		"model import", "model map", // which use labels and colours only
		"serve"} // which has no result
	for _, leaf := range emptyParser(t).Model.Leaves(true) {
		path, _, _ := strings.Cut(strings.TrimPrefix(leaf.Path(), "autoblm "), " <")
		path, _, _ = strings.Cut(path, " (") // aliases
		isDataset := func(f *kong.Flag) bool { return f.Name == "dataset" }
		takes := slices.ContainsFunc(leaf.Flags, isDataset) ||
			strings.HasPrefix(path, "dataset ") && len(leaf.Positional) > 0
		if takes && !tried[path] && !slices.Contains(none, path) {
			t.Errorf("%s takes data, and is not tried here", path)
		}
	}
}

// TestLeakageIsKnownToAll: each command that reads a graph with leakage says so, also as JSON.
func TestLeakageIsKnownToAll(t *testing.T) {
	t.Chdir(t.TempDir())
	copyFolder(t, "leaky", smallGraph(t))
	first, _, _ := strings.Cut(readFile(t, "leaky/train.txt"), "\n")
	for _, split := range []string{"valid", "test"} {
		writeFile(t, readFile(t, "leaky", split+".txt")+first+"\n", "leaky", split+".txt")
	}
	fact := strings.Fields(first)
	const want = " test triples ("
	for _, line := range []string{
		"dataset info leaky",
		"train --out model --dataset leaky" + quick,
		"eval --model model",
		"search --recipe basic --out found --dataset leaky" + quickSearch,
		"predict --model model --head " + fact[0] + " --relation " + fact[1],
		"query train --out paths --dataset leaky" + quick,
		"query predict --model paths --anchor " + fact[0] + " --path " + fact[1],
	} {
		if o := object(t, line); len(warningsIn(o, want)) == 0 {
			t.Errorf("%s: %v", line, o["warnings"])
		}
	}
	started, stop := startServer(t, "serve --addr 127.0.0.1:0 --json --model model")
	defer stop()
	contains(t, started, want)
}

// TestKnownLeakageIsBrief checks that the leakage of a benchmark takes one line of a terminal, and
// that JSON has its example and its fix.
func TestKnownLeakageIsBrief(t *testing.T) {
	standIn(t, "umls")
	stdout, stderr := succeed(t, "train --json --no-eval --out", t.TempDir(), "--dataset umls", quick)
	for _, line := range strings.Split(stderr, "\n") {
		if len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	contains(t, stderr, "autoblm: warning: known leakage: ")
	contains(t, stdout, "known leakage: ", "such as (", "compare only with results")
}
