package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// pathModel trains a model on sampled paths of one and two hops.
func pathModel(t *testing.T) (data, model string) {
	t.Helper()
	data, model = queries(t), filepath.Join(t.TempDir(), "model")
	object(t, "query", "train", "--dataset", data, "--structure", "simple", "--dim", "8", "--batch",
		"16", "--hops", "2", "--epochs", "4", "--out", model)
	return data, model
}

func TestQueryPredict(t *testing.T) {
	data, model := pathModel(t)
	ask := func(more ...string) (o map[string]any, answers []any) {
		t.Helper()
		o = object(t, append([]string{"query", "predict", "--model", model, "--anchor", "e10", "--path",
			"near,next_reverse"}, more...)...)
		return o, o["answers"].([]any)
	}
	o, ten := ask()
	if len(ten) != 10 || asText(t, o["query"]) != `{"anchor":"e10","path":["near","next_reverse"]}` {
		t.Errorf("%v", o)
	}

	// The library answers the same.
	m, err := kge.Load(model)
	if err != nil {
		t.Fatal(err)
	}
	d, err := query.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	want, err := query.Predict(t.Context(), cpu.New(1), m,
		query.Path{Anchor: "e10", Relations: []string{"near", "next_reverse"}}, d, 10, eval.MarkKnown)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range ten {
		got := a.(map[string]any)
		if got["entity"] != want[i].Entity || got["score"] != want[i].Score ||
			got["rank"] != float64(i+1) || got["known"] != (want[i].Known == eval.Yes) {
			t.Errorf("%v, want %+v", got, want[i])
		}
	}

	_, all := ask("--top", "0")
	_, kept := ask("--top", "0", "--known", "keep")
	_, dropped := ask("--top", "0", "--known", "drop", "--dataset", data, "--threads", "1")
	known := 0
	for i, a := range all {
		if a.(map[string]any)["known"] == true {
			known++
		}
		if kept[i].(map[string]any)["known"] != nil {
			t.Errorf("kept answers are marked: %v", kept[i])
		}
	}
	if known == 0 || len(kept) != len(all) || len(dropped) != len(all)-known {
		t.Errorf("%d answers, %d of them known; %d kept and %d left of them", len(all), known, len(kept),
			len(dropped))
	}

	// One relation at a time, and as text.
	if o, again := ask(); asText(t, again) != asText(t, ten) || len(o) != 2 {
		t.Error("asked twice, it answers otherwise")
	}
	apart := object(t, "query", "predict", "--model", model, "--anchor", "e10", "--path", "near",
		"--path", "next_reverse")
	if asText(t, apart) != asText(t, o) {
		t.Errorf("relation by relation %v, want %v", apart, o)
	}
	status, stdout, stderr := invoke(t.Context(), "query", "predict", "--model", model, "--anchor",
		"e10", "--path", "near,next_reverse", "--top", "0")
	if status != cli.Done || stderr != "" ||
		!strings.Contains(stdout, "(e10, near ∘ next_reverse, ?)") ||
		strings.Count(stdout, "known\n") != known {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}

	// Paths may be longer than those of the training, and then that is said.
	status, stdout, stderr = invoke(t.Context(), "query", "predict", "--model", model, "--anchor",
		"e10", "--path", "near,near,next")
	if status != cli.Done || !strings.Contains(stderr,
		"has 3 hops, the training of the model had up to 2 hops") ||
		!strings.Contains(stdout, "near ∘ near ∘ next") {
		t.Errorf("a longer path: status %d, %q, %q", status, stdout, stderr)
	}
}

// TestQueryPredictTriples: a model for completion answers paths; for one hop like predict.
func TestQueryPredictTriples(t *testing.T) {
	graph, model := smallGraph(t), filepath.Join(t.TempDir(), "model")
	object(t, "train", "--dataset", graph, "--structure", "simple", "--dim", "8", "--epochs", "3",
		"--batch", "32", "--out", model)
	entities := func(o map[string]any) (names []string) {
		for _, a := range o["answers"].([]any) {
			names = append(names, asText(t, []any{a.(map[string]any)["entity"],
				a.(map[string]any)["known"]}))
		}
		slices.Sort(names) // scores differ by their rounding
		return names
	}
	for _, c := range []struct{ path, end string }{{"near", "--head"}, {"near_reverse", "--tail"}} {
		got := entities(object(t, "query", "predict", "--model", model, "--anchor", "e10", "--path",
			c.path, "--top", "0"))
		want := entities(object(t, "predict", "--model", model, c.end, "e10", "--relation", "near",
			"--top", "0"))
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.path, got, want)
		}
	}
	status, stdout, stderr := invoke(t.Context(), "query", "predict", "--model", model, "--anchor",
		"e10", "--path", "near,near")
	if status != cli.Done || !strings.Contains(stderr, "has 2 hops, the training of the model had up to 1 hop") ||
		stdout == "" {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

// TestQueryPredictNamesWithCommas: names of relations are not split.
func TestQueryPredictNamesWithCommas(t *testing.T) {
	m := &kge.Model{RelationLabels: []string{"capital, of", "is", "of"}}
	for _, c := range []struct{ flags, want []string }{
		{[]string{"is,of"}, []string{"is", "of"}},
		{[]string{"is", "of,is_reverse"}, []string{"is", "of", "is_reverse"}},
		{[]string{"capital, of"}, []string{"capital, of"}},
		{[]string{"is", "capital, of_reverse", "of"}, []string{"is", "capital, of_reverse", "of"}},
		{[]string{"is,,of"}, []string{"is", "", "of"}},
	} {
		if got := relationsOf(m, c.flags); !slices.Equal(got, c.want) {
			t.Errorf("%q are %q, want %q", c.flags, got, c.want)
		}
	}
}

func TestQueryPredictRefusals(t *testing.T) {
	data, model := pathModel(t)
	lost := filepath.Join(t.TempDir(), "lost") // a model whose data are gone
	if err := os.CopyFS(lost, os.DirFS(model)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(lost, "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(lost, "model.json"),
		[]byte(strings.ReplaceAll(string(text), data, data+"-gone")), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(model, anchor, path string, more ...string) []string {
		return append([]string{"query", "predict", "--model", model, "--anchor", anchor, "--path", path},
			more...)
	}
	for name, c := range map[string]struct {
		status    int
		says      string
		arguments []string
	}{
		"empty path": {cli.Misuse, "the path is empty", ask(model, "e10", "")},
		"no path": {cli.Misuse, "--path",
			[]string{"query", "predict", "--model", model, "--anchor", "e10"}},
		"no anchor": {cli.Misuse, "--anchor",
			[]string{"query", "predict", "--model", model, "--path", "near"}},
		"no relation at the end": {cli.Failed, `no relation ""`, ask(model, "e10", "near,")},
		"unknown entity": {cli.Failed, `no entity "E10"; did you mean e10?`,
			ask(model, "E10", "near")},
		"unknown relation": {cli.Failed, `no relation "nearby"; did you mean near?`,
			ask(model, "e10", "next,nearby")},
		"unknown reverse": {cli.Failed, `no relation "nearby_reverse"; did you mean near_reverse?`,
			ask(model, "e10", "nearby_reverse")},
		"no model folder": {cli.Failed, "no model.json", ask(data, "e10", "near")},
		"no such folder":  {cli.Failed, "not a model folder", ask(model+"-gone", "e10", "near")},
		"unknown choice":  {cli.Misuse, "forget", ask(model, "e10", "near", "--known", "forget")},
		"threads below 0": {cli.Misuse, "threads", ask(model, "e10", "near", "--threads=-1")},
		"other data": {cli.Failed, "which world mentions",
			ask(model, "e10", "near", "--dataset", "world")},
		"no data to drop by": {cli.Failed, "find the known answers",
			ask(lost, "e10", "near", "--known", "drop")},
	} {
		status, stdout, stderr := invoke(t.Context(), c.arguments...)
		if status != c.status || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") != 1 ||
			stdout != "" {
			t.Errorf("%s: status %d, want %d; stderr %q, which should say %q in one line; stdout %q", name,
				status, c.status, stderr, c.says, stdout)
		}
	}
	status, stdout, stderr := invoke(t.Context(), ask(lost, "e10", "near")...)
	if status != cli.Done || !strings.Contains(stderr, "not marked") ||
		!strings.Contains(stderr, "--dataset") || !strings.Contains(stdout, "e10") {
		t.Errorf("without data to mark by: status %d, %q, %q", status, stdout, stderr)
	}
	if status, _, stderr := invoke(t.Context(),
		ask(lost, "e10", "near", "--known", "keep")...); status != cli.Done || stderr != "" {
		t.Errorf("without data, which are not needed: status %d, %q", status, stderr)
	}
}
