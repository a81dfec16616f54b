package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion/enginetest"
	"github.com/autoblm/autoblm-go/datasets"
)

// invoke runs the program as a shell would.
func invoke(ctx context.Context, arguments ...string) (status int, stdout, stderr string) {
	var out, messages bytes.Buffer
	status = run(ctx, arguments, &out, &messages)
	return status, out.String(), messages.String()
}

// object runs the program with --json and returns the one object it prints.
func object(t *testing.T, arguments ...string) map[string]any {
	t.Helper()
	status, stdout, stderr := invoke(t.Context(), append(arguments, "--json")...)
	if status != exitDone {
		t.Fatalf("%v: exit status %d: %s", arguments, status, stderr)
	}
	decoder := json.NewDecoder(strings.NewReader(stdout))
	var o map[string]any
	if err := decoder.Decode(&o); err != nil {
		t.Fatalf("%v: %v in %q", arguments, err, stdout)
	}
	if decoder.More() {
		t.Fatalf("%v: more than one JSON value: %q", arguments, stdout)
	}
	return o
}

// hasKeys checks that an object has all the given keys.
func hasKeys(t *testing.T, what string, o any, keys string) {
	t.Helper()
	m, ok := o.(map[string]any)
	if !ok {
		t.Fatalf("%s is %T, want an object", what, o)
	}
	for key := range strings.FieldsSeq(keys) {
		if _, ok := m[key]; !ok {
			t.Errorf("%s has no %q; it has %v", what, key, slices.Sorted(maps.Keys(m)))
		}
	}
}

const metricsKeys = "mrr hits1 hits3 hits10 mean_rank"

func hasEvaluation(t *testing.T, what string, o any) {
	t.Helper()
	hasKeys(t, what, o, "triples ties both head tail")
	for _, side := range []string{"both", "head", "tail"} {
		hasKeys(t, what+"."+side, o.(map[string]any)[side], metricsKeys)
	}
}

// smallGraph writes a small graph into a folder.
func smallGraph(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "small")
	if err := datasets.WriteFolder(enginetest.Graph(), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestStructureJSON(t *testing.T) {
	for _, command := range []string{"check", "show"} {
		o := object(t, "structure", command, "complex")
		hasKeys(t, command, o, "k structure nonzeros name degenerate degenerate_modes degenerate_paper fully_expressive symmetric_witness skew_symmetric_witness canonical canonical_paper orbit orbit_paper srf")
		if o["name"] != "complex" || o["orbit"] != 1152.0 || len(o["srf"].([]any)) != 20 {
			t.Errorf("%s: %v", command, o)
		}
	}
	o := object(t, "structure", "check", "-1,0;2,-1")
	if o["structure"] != "-1,0;2,-1" || o["skew_symmetric_witness"] != nil || len(o["degenerate_modes"].([]any)) != 0 {
		t.Errorf("a structure that begins with a minus: %v", o)
	}
	o = object(t, "structure", "count", "--k", "2", "--group", "paper")
	if o["total"] != "59" || len(o["by_nonzeros"].([]any)) != 5 || o["k"] != 2.0 || o["group"] != "paper" {
		t.Errorf("count: %v", o)
	}
}

func TestTrainEvalPredictJSON(t *testing.T) {
	graph, model := smallGraph(t), filepath.Join(t.TempDir(), "model")
	trained := object(t, "train", "--dataset", graph, "--structure", "-1,0,0,2;0,3,0,0;0,0,4,0;-2,0,0,1", "--dim", "16", "--epochs", "20", "--batch", "32", "--out", model)
	hasKeys(t, "train", trained, "dataset structure k dim seed engine backend epochs loss seconds valid test")
	hasKeys(t, "seconds", trained["seconds"], "compile train evaluate per_step")
	hasEvaluation(t, "valid", trained["valid"])
	hasEvaluation(t, "test", trained["test"])
	if len(trained["loss"].([]any)) != 20 || trained["seconds"].(map[string]any)["per_step"].(float64) <= 0 {
		t.Errorf("train: %v", trained)
	}

	ranked := object(t, "eval", "--model", model, "--dataset", graph, "--by", "relation")
	hasKeys(t, "eval", ranked, "dataset structure k dim engine backend seconds test by")
	hasEvaluation(t, "test", ranked["test"])
	got, want := ranked["test"].(map[string]any)["both"], trained["test"].(map[string]any)["both"]
	if !maps.Equal(got.(map[string]any), want.(map[string]any)) {
		t.Errorf("eval of the saved model has %v, train had %v", got, want)
	}
	hasKeys(t, "by", ranked["by"].([]any)[0], "name triples both head tail")
	optimistic := object(t, "eval", "--model", model, "--dataset", graph, "--ties", "optimistic", "--split", "valid", "--by", "pattern")
	hasEvaluation(t, "valid", optimistic["valid"])

	answered := object(t, "predict", "--model", model, "--dataset", graph, "--head", "e00", "--relation", "near", "--top", "3", "--known", "mark")
	hasKeys(t, "query", answered["query"], "head relation tail")
	if query := answered["query"].(map[string]any); query["tail"] != nil || query["head"] != "e00" {
		t.Errorf("query: %v", query)
	}
	answers := answered["answers"].([]any)
	if len(answers) != 3 {
		t.Fatalf("%d answers, want 3", len(answers))
	}
	hasKeys(t, "answer", answers[0], "entity score rank known")
}

func TestTrainMembersAreSingleRuns(t *testing.T) {
	graph := smallGraph(t)
	base := []string{"train", "--dataset", graph, "--structure", "simple", "--dim", "8", "--epochs", "3", "--batch", "32"}
	together := object(t, append(base, "--members", "3", "--seed", "5")...)
	members := together["members"].([]any)
	if len(members) != 3 {
		t.Fatalf("%d members, want 3", len(members))
	}
	for i, seed := range []string{"5", "6", "7"} {
		alone := object(t, append(base, "--seed", seed)...)
		hasKeys(t, "member", members[i], "seed loss valid test")
		a := alone["test"].(map[string]any)["both"].(map[string]any)["mrr"].(float64)
		b := members[i].(map[string]any)["test"].(map[string]any)["both"].(map[string]any)["mrr"].(float64)
		if a-b > 1e-6 || b-a > 1e-6 {
			t.Errorf("seed %s: test MRR %v alone, %v among members", seed, a, b)
		}
	}
}

func TestTrainWithoutValidAndTest(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "train.tsv"), []byte("\ufeffa\tr\tb\r\nb\tr\tc\r\n\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := object(t, "train", "--dataset", dir, "--structure", "1,-2;2,1", "--dim", "4", "--epochs", "1", "--batch", "1", "--max-steps", "2", "--no-eval")
	if o["valid"] != nil || o["test"] != nil || o["seconds"].(map[string]any)["per_step"].(float64) <= 0 {
		t.Errorf("%v", o)
	}
	if status, _, stderr := invoke(t.Context(), "search", "--dataset", dir, "--out", t.TempDir()); status != exitFailed || !strings.Contains(stderr, "validation") {
		t.Errorf("a search without validation triples: status %d, %q", status, stderr)
	}
}

func searchArguments(graph, dir string, more ...string) []string {
	return append([]string{"search", "--dataset", graph, "--study", filepath.Join(dir, "study.db"), "--out", filepath.Join(dir, "out"),
		"--budget", "10", "--dim", "8", "--epochs", "2", "--batch", "64", "--n", "16", "--p", "4"}, more...)
}

func TestSearchJSON(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	first := object(t, searchArguments(graph, dir)...)
	hasKeys(t, "search", first, "dataset algorithm k dim budget trained seconds best human resumed stopped")
	hasKeys(t, "best", first["best"].([]any)[0], "structure canonical valid_mrr test_mrr")
	hasKeys(t, "human", first["human"].([]any)[0], "name valid_mrr test_mrr")
	if first["trained"] != 10.0 || first["resumed"] != 0.0 || first["stopped"] != "budget" || len(first["human"].([]any)) != 5 {
		t.Errorf("search: %v", first)
	}
	for _, file := range []string{"best.png", "best.svg", "structures.png", "structures.svg", "search.png", "search.svg", "model/model.json"} {
		if info, err := os.Stat(filepath.Join(dir, "out", file)); err != nil || info.Size() == 0 {
			t.Errorf("%s was not written: %v", file, err)
		}
	}
	ranked := object(t, "eval", "--model", filepath.Join(dir, "out", "model"), "--dataset", graph)
	if got, want := ranked["test"].(map[string]any)["both"].(map[string]any)["mrr"], first["best"].([]any)[0].(map[string]any)["test_mrr"]; got != want {
		t.Errorf("the saved model has test MRR %v, the search says %v", got, want)
	}

	second := object(t, searchArguments(graph, dir)...)
	if second["resumed"] != 10.0 {
		t.Errorf("the second run resumed %v trials, want 10", second["resumed"])
	}
	second["resumed"] = first["resumed"]
	if a, b := asText(t, first), asText(t, second); a != b {
		t.Errorf("the second run of a finished search prints\n%s\nthe first printed\n%s", b, a)
	}

	status, _, stderr := invoke(t.Context(), searchArguments("world", dir)...)
	if status != exitFailed || !strings.Contains(stderr, "another search") {
		t.Errorf("the study of other data: status %d, %q", status, stderr)
	}
	status, text, stderr := invoke(t.Context(), searchArguments(graph, dir)...)
	if status != exitDone || !strings.Contains(text, "QuatE") || !strings.Contains(text, "┌") || !strings.Contains(text, "against") {
		t.Errorf("the text of a search: status %d, %q, %q", status, text, stderr)
	}
}

func asText(t *testing.T, value any) string {
	t.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSearchOfTwoChunks(t *testing.T) {
	o := object(t, searchArguments(smallGraph(t), t.TempDir(), "--k", "2", "--budget", "30")...)
	if o["stopped"] != "space exhausted" || o["trained"] != 20.0 || len(o["human"].([]any)) != 0 || !strings.Contains(o["note"].(string), "named models") {
		t.Errorf("%v", o)
	}
}

func TestInterruptedSearchSaysHowToGoOn(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	arguments := searchArguments(graph, dir)
	status, stdout, stderr := invoke(ctx, append(arguments, "--json")...)
	if status != exitFailed || !strings.Contains(stdout, `"stopped":"interrupted"`) || !strings.Contains(stderr, "go on with: autoblm search") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
	if o := object(t, arguments...); o["stopped"] != "budget" {
		t.Errorf("the same command went on to %v", o)
	}
}

func TestResumeCommand(t *testing.T) {
	c := searchCommand{Study: "my out/study.db", Out: "my out"}
	got := c.resume([]string{"search", "--out=my out", "--seed", "3"})
	if want := "autoblm search '--out=my out' --seed 3 --study 'my out/study.db'"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestRefusals: wrong usage exits with 2, other failures with 1, each with one
// line that says what is wrong.
func TestRefusals(t *testing.T) {
	graph := smallGraph(t)
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "train.txt"), []byte("a\tr\tb\nno tabs here\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	if err := os.WriteFile(filepath.Join(empty, "train.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(broken, "train.txt")
	train := func(more ...string) []string {
		return append([]string{"train", "--dataset", graph, "--structure", "complex", "--dim", "8", "--epochs", "1"}, more...)
	}
	for name, c := range map[string]struct {
		status    int
		says      string
		arguments []string
	}{
		"unknown command":            {exitUsage, "conjure", []string{"conjure"}},
		"unknown flag":               {exitUsage, "--nope", train("--nope")},
		"missing flag":               {exitUsage, "--structure", []string{"train", "--dataset", graph}},
		"malformed structure":        {exitUsage, "row 2", []string{"structure", "check", "1,2;3"}},
		"value above K":              {exitUsage, "9", []string{"structure", "check", "9,0;0,1"}},
		"missing structure file":     {exitUsage, "nowhere.txt", []string{"structure", "check", "@nowhere.txt"}},
		"too many chunks":            {exitUsage, "99", []string{"structure", "count", "--k", "99"}},
		"d not divisible by K":       {exitUsage, "multiple of the 4 chunks", train("--dim", "10")},
		"learning rate NaN":          {exitUsage, "learning rate", train("--lr", "NaN")},
		"learning rate 0":            {exitUsage, "learning rate", train("--lr", "0")},
		"no members":                 {exitUsage, "members", train("--members", "0")},
		"unknown engine":             {exitUsage, "engine", train("--engine", "torch")},
		"unknown backend":            {exitFailed, "unknown backend", train("--backend", "abacus")},
		"plugin that is not there":   {exitFailed, "xla:/nowhere/cuda.so", train("--backend", "xla:/nowhere/cuda.so")},
		"unknown data set":           {exitFailed, "nowhere", []string{"dataset", "info", "nowhere"}},
		"unknown benchmark to fetch": {exitFailed, "nowhere", []string{"dataset", "fetch", "nowhere"}},
		"malformed line":             {exitFailed, file + ":2", []string{"dataset", "info", broken}},
		"empty train":                {exitFailed, "train", []string{"dataset", "info", empty}},
		"unwritable model folder":    {exitFailed, "folder", train("--out", filepath.Join(file, "model"))},
		"unwritable search folder":   {exitFailed, "folder", []string{"search", "--dataset", graph, "--out", filepath.Join(file, "out")}},
		"no model folder":            {exitFailed, "model.json", []string{"eval", "--model", broken, "--dataset", graph}},
		"neither head nor tail":      {exitUsage, "--head", []string{"predict", "--model", broken, "--relation", "r"}},
		"diverged":                   {exitFailed, "diverged", train("--lr", "1e38", "--epochs", "3")},
		"budget 0":                   {exitUsage, "budget", []string{"search", "--budget", "0"}},
		"shares of a split":          {exitUsage, "", []string{"dataset", "split", file, "--out", broken, "--valid", "2"}},
	} {
		if name == "shares of a split" {
			c.arguments[2] = filepath.Join(graph, "train.txt")
		}
		status, stdout, stderr := invoke(t.Context(), c.arguments...)
		if status != c.status || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") != 1 || stdout != "" {
			t.Errorf("%s: status %d, want %d; stderr %q, which should say %q in one line; stdout %q", name, status, c.status, stderr, c.says, stdout)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, arguments := range [][]string{nil, {"--help"}, {"search", "--help"}, {"structure", "check", "--help"}} {
		if status, stdout, _ := invoke(t.Context(), arguments...); status != exitDone || !strings.Contains(stdout, "Usage: autoblm") {
			t.Errorf("%v: status %d, %q", arguments, status, stdout)
		}
	}
}

func TestDatasetJSON(t *testing.T) {
	graph := smallGraph(t)
	hasKeys(t, "info", object(t, "dataset", "info", graph), "name entities relations train valid test patterns")
	list := object(t, "dataset", "list")["datasets"].([]any)
	hasKeys(t, "list", list[0], "name entities relations train valid test licence folder at_hand")
	split := object(t, "dataset", "split", filepath.Join(graph, "train.txt"), "--out", filepath.Join(t.TempDir(), "new"))
	hasKeys(t, "split", split, "folder train valid test wanted_valid wanted_test duplicates")
	if split["valid"].(float64) == 0 || split["test"].(float64) == 0 {
		t.Errorf("split: %v", split)
	}
}
