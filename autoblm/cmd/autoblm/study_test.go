package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// finishedStudy returns a small finished search with all stages, and its JSON.
func finishedStudy(t *testing.T, graph string) (file string, printed map[string]any) {
	t.Helper()
	dir := t.TempDir()
	printed = object(t, searchArguments(graph, dir, "--tune", "2", "--final", "2", "--final-dims", "8",
		"--final-epochs", "2")...)
	return filepath.Join(dir, "study.db"), printed
}

func TestStudyList(t *testing.T) {
	graph := smallGraph(t)
	dir := t.TempDir()
	t.Chdir(dir)
	if list := object(t, "study", "list")["studies"].([]any); len(list) != 0 {
		t.Errorf("studies in an empty folder: %v", list)
	}
	object(t, searchArguments(graph, filepath.Join(dir, "deep"))...)
	damaged := filepath.Join(dir, "damaged.db")
	content, err := os.ReadFile(filepath.Join("deep", "study.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(damaged, content[:len(content)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	list := object(t, "study", "list")["studies"].([]any)
	if len(list) != 2 {
		t.Fatalf("%v, want two studies", list)
	}
	for i, want := range []map[string]any{
		{"path": "damaged.db", "state": "unreadable", "dataset": nil, "best_mrr": nil},
		{"path": filepath.Join("deep", "study.db"), "state": "finished", "dataset": "small",
			"algorithm": "autoblm+", "k": 4.0, "dim": 8.0, "trained": 10.0, "budget": 10.0},
	} {
		for key, value := range want {
			if got, known := list[i].(map[string]any)[key]; !known || got != value {
				t.Errorf("study %d: %s is %v, want %v", i, key, got, value)
			}
		}
	}
	if says := list[0].(map[string]any)["error"].(string); !strings.Contains(says, "damaged") {
		t.Errorf("the damaged study has the error %q", says)
	}
	status, stdout, stderr := invoke(t.Context(), "study", "list", "deep", damaged)
	if status != cli.Done || !strings.Contains(stdout, "finished") ||
		!strings.Contains(stdout, "unreadable") || !strings.Contains(stderr, "is damaged") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

func TestStudyShow(t *testing.T) {
	file, printed := finishedStudy(t, smallGraph(t))
	shown := object(t, "study", "show", file)
	for _, field := range []string{"dataset", "algorithm", "budget", "best", "baselines", "tuned",
		"finals", "seconds"} {
		if got, want := asText(t, shown[field]), asText(t, printed[field]); got != want {
			t.Errorf("%s: %s, the search printed %s", field, got, want)
		}
	}
	proposed, best := 0.0, 0.0
	for _, round := range shown["rounds"].([]any) {
		r := round.(map[string]any)
		proposed += r["proposed"].(float64) - r["repeats"].(float64)
		if mrr := r["best_mrr"].(float64); mrr < best {
			t.Errorf("the best MRR so far falls from %v to %v", best, mrr)
		} else {
			best = mrr
		}
	}
	if proposed != 10 || best != printed["best"].([]any)[0].(map[string]any)["valid_mrr"] {
		t.Errorf("the rounds proposed %v structures, the best of MRR %v: %v", proposed, best,
			shown["rounds"])
	}
	status, text, stderr := invoke(t.Context(), "study", "show", file)
	for _, want := range []string{"autoblm+ on small, finished", "10 of 10 structures", "training dim",
		"Recipes tried on SimplE", "round", "QuatE", "Best structures with other recipes",
		shown["fingerprint"].(string)} {
		if status != cli.Done || !strings.Contains(text, want) {
			t.Errorf("status %d, %q: the text does not say %q:\n%s", status, stderr, want, text)
		}
	}
}

func TestStudyExport(t *testing.T) {
	file, _ := finishedStudy(t, smallGraph(t))
	contents, err := study.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	status, text, stderr := invoke(t.Context(), "study", "export", file, "--csv")
	if status != cli.Done {
		t.Fatal(stderr)
	}
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(lines) != len(contents.Trials)+1 {
		t.Fatalf("%d lines for %d trials, %v", len(lines), len(contents.Trials), err)
	}
	out := filepath.Join(t.TempDir(), "trials.csv")
	if o := object(t, "study", "export", file, "--csv", "--out",
		out); o["trials"] != float64(len(contents.Trials)) {
		t.Errorf("%v", o)
	}
	if written, err := os.ReadFile(out); err != nil || string(written) != text {
		t.Errorf("the file has other lines than those printed (%v)", err)
	}
	o := object(t, "study", "export", file)
	if got, want := asText(t, o["trials"]), asText(t,
		contents.Trials); len(o["rounds"].([]any)) != len(contents.Rounds) || len(got) != len(want) {
		t.Errorf("the JSON has the trials %s, want %s", got, want)
	}
	for _, wrong := range [][]string{{}, {"--csv", "--json"}, {"--json", "--out", out}} {
		if status, _, stderr := invoke(t.Context(),
			append([]string{"study", "export", file}, wrong...)...); status != cli.Misuse ||
			!strings.Contains(stderr, "--csv") {
			t.Errorf("%v: status %d, %q", wrong, status, stderr)
		}
	}
}

func TestStudyBest(t *testing.T) {
	graph := smallGraph(t)
	file, _ := finishedStudy(t, graph)
	saved := filepath.Join(filepath.Dir(file), "out", "model") // by the search
	for _, out := range []string{"", filepath.Join(t.TempDir(), "best")} {
		arguments := []string{"study", "best", file}
		folder := filepath.Join(filepath.Dir(file), "model")
		if out != "" {
			arguments, folder = append(arguments, "--out", out), out
		}
		if o := object(t, arguments...); o["out"] != folder {
			t.Errorf("the model goes to %v, not %s", o["out"], folder)
		}
		for _, name := range []string{"model.json", "entities.npy", "relations.npy"} {
			got, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			if want, err := os.ReadFile(filepath.Join(saved, name)); err != nil ||
				string(got) != string(want) {
				t.Errorf("%s is not that of the search (%v)", name, err)
			}
		}
	}
	status, text, stderr := invoke(t.Context(), "study", "best", file, "--out", t.TempDir())
	if status != cli.Done || !strings.Contains(text, "┌") || !strings.Contains(text, "heads") {
		t.Errorf("status %d, %q, %q", status, text, stderr)
	}

	unbegun := interrupted(t, graph, t.TempDir())
	if status, _, stderr := invoke(t.Context(), "study", "best", unbegun); status != cli.Failed ||
		!strings.Contains(stderr, "no model yet") {
		t.Errorf("a study without models: status %d, %q", status, stderr)
	}
}

// interrupted returns a study whose search was interrupted before its first training.
func interrupted(t *testing.T, graph, dir string) (file string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if status, _, stderr := invoke(ctx, searchArguments(graph, dir)...); status != cli.Failed ||
		!strings.Contains(stderr, "interrupted") {
		t.Fatalf("status %d, %q", status, stderr)
	}
	return filepath.Join(dir, "study.db")
}

// TestStudyResume: an interrupted search resumes from its study and ends with the same result; a
// finished one trains nothing.
func TestStudyResume(t *testing.T) {
	graph := smallGraph(t)
	whole := object(t, searchArguments(graph, t.TempDir())...)
	dir := t.TempDir()
	file := interrupted(t, graph, dir)
	same := func(what string, got, want map[string]any) {
		t.Helper()
		for _, field := range []string{"dataset", "algorithm", "k", "dim", "budget", "trained", "failed",
			"stopped", "best", "baselines"} {
			if a, b := asText(t, got[field]), asText(t, want[field]); a != b {
				t.Errorf("%s: %s is %s, want %s", what, field, a, b)
			}
		}
	}
	first := object(t, "study", "resume", file)
	same("gone on with", first, whole)
	if _, err := os.Stat(filepath.Join(dir, "model", "model.json")); err != nil ||
		first["resumed"] != 0.0 {
		t.Errorf("the model is not beside the study (%v), or %v trials were taken from it", err,
			first["resumed"])
	}

	again := object(t, "study", "resume", file, "--out", filepath.Join(t.TempDir(), "out"))
	same("finished", again, whole)
	if again["resumed"] != 10.0 || again["seconds"] != first["seconds"] {
		t.Errorf("a finished study: %v trials from the study, %v s, before %v s", again["resumed"],
			again["seconds"], first["seconds"])
	}

	before := object(t, "study", "export", file)["trials"].([]any)
	more := object(t, "study", "resume", file, "--budget", "14")
	if more["trained"] != 14.0 || more["resumed"] != 10.0 {
		t.Errorf("with a larger budget: %v", more)
	}
	after := object(t, "study", "export", file)["trials"].([]any)
	if len(after) != len(before)+4 || asText(t, after[:len(before)]) != asText(t, before) {
		t.Errorf("with a larger budget, there are %d trials where %d were, or those have changed",
			len(after), len(before))
	}
	same("the budget of the last run", object(t, "study", "resume", file), more)

	for budget, status := range map[string]int{"--budget=-1": cli.Misuse, "--minutes=-1": cli.Misuse,
		"--backend=abacus": cli.Misuse} {
		if got, _, stderr := invoke(t.Context(), "study", "resume", file, budget); got != status {
			t.Errorf("%s: status %d, %q", budget, got, stderr)
		}
	}
}

func TestStudyResumeOfDataThatMoved(t *testing.T) {
	graph := smallGraph(t)
	file := interrupted(t, graph, t.TempDir())
	moved := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(graph, moved); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := invoke(t.Context(), "study", "resume", file)
	if status != cli.Failed || !strings.Contains(stderr, "--dataset") ||
		!strings.Contains(stderr, graph) {
		t.Errorf("status %d, %q", status, stderr)
	}
	status, _, stderr = invoke(t.Context(), "study", "resume", file, "--dataset", "world")
	if status != cli.Failed || !strings.Contains(stderr, "world has other data") {
		t.Errorf("other data: status %d, %q", status, stderr)
	}
	if o := object(t, "study", "resume", file, "--dataset", moved); o["trained"] != 10.0 {
		t.Errorf("%v", o)
	}
	object(t, "study", "resume", file) // it knows now
}

func TestStudyFolder(t *testing.T) {
	for file, want := range map[string]string{"runs/x/study.db": "runs/x", "study.db": ".",
		"runs/umls.db": "runs/umls-out", "plain": "plain-out"} {
		if got := (studyFile{filepath.FromSlash(file)}).folder(); got != filepath.FromSlash(want) {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

// TestStudyInUse: the error for a locked study names the process, and ends with it.
func TestStudyInUse(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	file := filepath.Join(dir, "study.db")
	other := startProgram(t, searchArguments(graph, dir, "--epochs", "1000000")...)
	defer func() { _ = other.Process.Kill() }()
	var taken *study.InUseError
	for deadline := time.Now().Add(20 * time.Second); !errors.As(readError(file), &taken); {
		if time.Now().After(deadline) {
			t.Fatal("the other process never took the study")
		}
		time.Sleep(10 * time.Millisecond)
	}
	who := "in use by"
	if runtime.GOOS != "windows" {
		who = fmt.Sprintf("in use by process %d", other.Process.Pid)
	}
	for _, arguments := range [][]string{{"study", "show", file}, {"study", "export", file, "--csv"},
		{"study", "best", file}, {"study", "resume", file}, searchArguments(graph, dir)} {
		status, stdout, stderr := invoke(t.Context(), arguments...)
		if status != cli.Failed || !strings.Contains(stderr, who) || stdout != "" {
			t.Errorf("%v: status %d, %q, %q; want %q", arguments, status, stdout, stderr, who)
		}
	}
	list := object(t, "study", "list", dir)["studies"].([]any)
	if state := list[0].(map[string]any)["state"].(string); len(list) != 1 ||
		!strings.HasPrefix(state, who) {
		t.Errorf("%v, want one study %s", list, who)
	}
	_ = other.Process.Kill()
	_ = other.Wait()
	if o := object(t, "study", "show", file); o["state"] != "budget left" {
		t.Errorf("after its process was killed: %v", o["state"])
	}
}

func readError(file string) error {
	_, err := study.Read(file)
	return err
}

// TestStudyKeepsTheRecipe: a resumed search uses all settings of its recipe.
func TestStudyKeepsTheRecipe(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	flags := []string{"--reciprocal", "--dura", "0.01", "--relation-prediction", "0.5", "--dropout",
		"0.1", "--init-scale", "0.01", "--max-norm", "2"}
	whole := object(t, searchArguments(graph, t.TempDir(), flags...)...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	invoke(ctx, searchArguments(graph, dir, flags...)...)
	file, out := filepath.Join(dir, "study.db"), filepath.Join(dir, "out")
	resumed := object(t, "study", "resume", file, "--out", out)
	if got, want := asText(t, resumed["best"]), asText(t, whole["best"]); got != want {
		t.Errorf("gone on with, the best are\n%s\nat once\n%s", got, want)
	}
	best := object(t, "study", "best", file, "--out", filepath.Join(dir, "best"))
	ranked := object(t, "eval", "--model", filepath.Join(dir, "best"), "--dataset", graph)
	if got, want := asText(t, ranked["test"]), asText(t, best["test"]); got != want {
		t.Errorf("the best model has %s, the study says %s", got, want)
	}
	if plain := object(t, searchArguments(graph, t.TempDir())...); asText(t,
		plain["best"]) == asText(t, whole["best"]) {
		t.Error("the recipe changed nothing")
	}
}

// TestStudyOnAnotherEngine: trials of several engines are mixed only with --mix-engines, and are
// marked.
func TestStudyOnAnotherEngine(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	file := filepath.Join(dir, "study.db")
	native := searchArguments(graph, dir, "--k", "2", "--budget", "4", "--engine", "cpu")
	object(t, native...)
	before := asText(t, object(t, "study", "export", file)["trials"])
	elsewhere := []string{"--engine", "gomlx", "--backend", "go"}
	object(t, append(native, elsewhere...)...)
	for _, more := range [][]string{
		append([]string{"study", "resume", file, "--budget", "6"}, elsewhere...),
		append(searchArguments(graph, dir, "--k", "2", "--budget", "6"), elsewhere...),
	} {
		status, stdout, stderr := invoke(t.Context(), more...)
		for _, says := range []string{"engine cpu (" + kernel.Sets()[0].Name + ")", "results of gomlx (go)",
			"--mix-engines"} {
			if status != cli.Failed || stdout != "" || !strings.Contains(stderr, says) {
				t.Errorf("%v: status %d, %q, %q, want %q", more, status, stdout, stderr, says)
			}
		}
	}
	if after := asText(t, object(t, "study", "export", file)["trials"]); after != before {
		t.Errorf("after the refusals the study has\n%s\nbefore\n%s", after, before)
	}
	if shown := object(t, "study", "show", file); len(shown["engines"].([]any)) != 1 {
		t.Errorf("engines %v", shown["engines"])
	}

	mixed := object(t, append([]string{"study", "resume", file, "--budget", "6", "--mix-engines"},
		elsewhere...)...)
	if len(mixed["engines"].([]any)) != 2 || mixed["trained"] != 6.0 {
		t.Errorf("mixed: %v", mixed)
	}
	for _, arguments := range [][]string{{"study", "show", file},
		{"report", "--study", file, "--out", filepath.Join(dir, "page.html")}} {
		if status, stdout, stderr := invoke(t.Context(), arguments...); status != cli.Done ||
			!strings.Contains(stdout, "several engines, cpu (") {
			t.Errorf("%v: status %d, %q, %q", arguments, status, stdout, stderr)
		}
	}
	by := map[any]int{}
	for _, trial := range object(t, "study", "export", file)["trials"].([]any) {
		by[trial.(map[string]any)["engine"]]++
	}
	if by["cpu"] != 4 || by["gomlx"] != 2 {
		t.Errorf("trials by their engines: %v", by)
	}
	if status, _, stderr := invoke(t.Context(), "study", "resume", file, "--budget", "8", "--engine",
		"cpu"); status != cli.Failed || !strings.Contains(stderr, "engine gomlx (go)") {
		t.Errorf("a mixed study: status %d, %q", status, stderr)
	}
}
