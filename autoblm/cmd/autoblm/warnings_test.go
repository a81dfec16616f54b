package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestEveryCommandWarns: each command prints the warnings of its data.
func TestEveryCommandWarns(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("AUTOBLM_DATA", dir)
	sound, graph := filepath.Join(dir, "sound"), filepath.Join(dir, "umls")
	for _, folder := range []string{sound, graph} {
		if err := datasets.WriteFolder(enginetest.Graph(), folder); err != nil {
			t.Fatal(err)
		}
	}
	train := filepath.Join(graph, "train.txt")
	text, err := os.ReadFile(train)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(train, append([]byte("head\trelation\ttail\n"), text...),
		0o644); err != nil {
		t.Fatal(err)
	}
	classes := kinds(t, func(files map[string]string) { files["graph.nt"] += "no triple\n" })
	asked := filepath.Join(dir, "asked")
	if err := os.Mkdir(asked, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"entities.txt": "0\ta\n1\tb\n2\tc\n3\td\n", "relations.txt": "0\tr\n1\tr_reverse\n",
		"train-1p.txt": "0\t0\t1\n1\t0\t2\n", "valid-1p.txt": "0\t0\t2\n",
		"test-1p.txt": "3\t0\t0\n1\t0\t0\n",
	} {
		if err := os.WriteFile(filepath.Join(asked, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	small := []string{"--dim", "8", "--epochs", "1", "--structure", "simple"}
	search := []string{"--budget", "2", "--candidates", "4", "--round-size", "2", "--dim", "8",
		"--epochs", "1", "--batch", "64"}
	const titled, passed = "autoblm: warning: the first line of ",
		"autoblm: warning: skipped 1 malformed line"
	const unseen = "autoblm: warning: 1 of the 2 test queries of asked cannot be learned"
	lines := []struct {
		line []string
		want string
	}{
		{append([]string{"train", "--dataset", graph, "--out", "model"}, small...), titled},
		{[]string{"eval", "--dataset", graph, "--model", "model"}, titled},
		{append([]string{"train", "--dataset", graph, "--seed", "2", "--out", "other"}, small...),
			titled},
		{[]string{"ensemble", "model", "other", "--dataset", graph, "--all", "--out", "ensemble"},
			titled},
		{[]string{"predict", "--dataset", graph, "--model", "model", "--head", "head", "--relation",
			"relation"}, titled},
		{[]string{"dataset", "info", graph}, titled},
		{[]string{"dataset", "split", train, "--out", "split"}, titled},
		{append([]string{"search", "--recipe", "basic", "--dataset", graph, "--study", "s.db", "--out",
			"found"}, search...), titled},
		{[]string{"report", "--study", "s.db", "--dataset", graph, "--out", "page.html"}, titled},
		{[]string{"study", "resume", "s.db", "--dataset", graph, "--budget", "3"}, titled},
		{append([]string{"ablate", "filter", "--dataset", graph, "--seeds", "1", "--out", "ablated"},
			search...), titled},
		{[]string{"reproduce", "umls", "--stage", "final", "--structure", "simple", "--dim", "8",
			"--epochs", "1", "--out", "reproduced"}, titled},
		{append([]string{"query", "train", "--dataset", graph, "--out", "paths"}, small...), titled},
		{[]string{"query", "sample", "--dataset", graph, "--hops", "2", "--count", "5", "--split",
			"train", "--out", "queries"}, titled},
		{append([]string{"query", "train", "--dataset", asked, "--hops", "1", "--out", "asked-model"},
			small...), unseen},
		{[]string{"query", "eval", "--dataset", asked, "--model", "asked-model"}, unseen},
		{[]string{"query", "predict", "--dataset", graph, "--model", "paths", "--anchor", "head",
			"--path", "relation"}, titled},
		{[]string{"classify", "train", "--dataset", classes, "--lenient", "--structure", "distmult",
			"--dim", "8", "--epochs", "2", "--runs", "1", "--out", "kind"}, passed},
		{[]string{"classify", "eval", "--dataset", classes, "--model", "kind"}, passed},
		{[]string{"classify", "predict", "--dataset", classes, "--model", "kind", "--node", "x:6"},
			passed},
	}
	tried := map[string]bool{}
	for _, c := range lines {
		for words := range 2 {
			tried[strings.Join(c.line[:words+1], " ")] = true
		}
		status, _, stderr := invoke(t.Context(), c.line...)
		if status != cli.Done {
			t.Errorf("%q: %s", c.line, stderr)
		}
		if n := strings.Count(stderr, c.want); n != 1 {
			t.Errorf("%q says %d times %q: %q", c.line[:2], n, c.want, stderr)
		}
	}
	if status, _, stderr := invoke(t.Context(),
		append([]string{"train", "--dataset", sound}, small...)...); status != cli.Done ||
		strings.Contains(stderr, "warning") {
		t.Errorf("of sound data: status %d, %q", status, stderr)
	}

	// No command that takes data is missing above.
	parser, err := newParser(newCommands(), kong.Vars{"version": ""})
	if err != nil {
		t.Fatal(err)
	}
	none := []string{"dataset fetch", "recipe list", "recipe show"} // which open none
	for _, leaf := range parser.Model.Leaves(true) {
		path := strings.TrimPrefix(leaf.Path(), "autoblm ")
		path, _, _ = strings.Cut(path, " <")
		takes := slices.ContainsFunc(leaf.Flags,
			func(f *kong.Flag) bool { return f.Name == "dataset" }) || strings.HasPrefix(path, "dataset ") &&
			len(leaf.Positional) > 0
		if takes && !tried[path] && !slices.Contains(none, path) {
			t.Errorf("%s takes data, and is not tried here", path)
		}
	}
}
