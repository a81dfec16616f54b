package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"github.com/autoblm/autoblm-go/internal/record"
)

// standIn uses a small graph as the benchmarks.
func standIn(t *testing.T, names ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := datasets.WriteFolder(enginetest.Graph(), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("AUTOBLM_DATA", dir)
}

func readResult(t *testing.T, folder string) reproduce.Document {
	t.Helper()
	d, err := record.Read[reproduce.Result](filepath.Join(folder, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestReproduce runs all stages on both engines. The file has the result and its setup, and the
// same command reads it without training.
func TestReproduce(t *testing.T) {
	standIn(t, "umls")
	for _, engine := range []string{"cpu", "gomlx"} {
		out := filepath.Join(t.TempDir(), "out")
		arguments := []string{"reproduce", "umls", "--minutes", "1", "--budget", "9", "--dim", "8",
			"--epochs", "6", "--engine", engine, "--out", out}
		if engine == "gomlx" {
			arguments = append(arguments, "--backend", "go")
		}
		o := object(t, arguments...)
		d := readResult(t, out)
		if asText(t, d) != asText(t, o) && !reflect.DeepEqual(o, decoded(t, d)) {
			t.Errorf("%s: the file has %s, printed was %s", engine, asText(t, d), asText(t, o))
		}
		r := d.Result
		if !r.Complete || r.Engine != engine || r.Dataset != "umls" || r.Stage != reproduce.All ||
			r.Search.Recipe != "small-search" || r.Search.Trained != 9 {
			t.Errorf("%s: %+v", engine, r)
		}
		if f := r.Final; f.Recipe != "small" || f.Epochs != 6 || f.Training.Settings.Dim != 8 ||
			!f.Training.Settings.Reciprocal || f.Published.MRR != 0.94 ||
			f.Training.Member.Structure != r.Search.Best[0].Structure {
			t.Errorf("%s: %+v", engine, f)
		}
		if !strings.Contains(d.Command, "reproduce umls --minutes 1") ||
			strings.Contains(d.Command, filepath.Dir(out)) ||
			!strings.Contains(d.Machine, "engine "+engine) || d.Versions["go"] != runtime.Version() {
			t.Errorf("%s: command %q on %q with %v", engine, d.Command, d.Machine, d.Versions)
		}
		before, err := os.ReadFile(filepath.Join(out, "result.json"))
		if err != nil {
			t.Fatal(err)
		}
		if again := object(t, arguments...); !reflect.DeepEqual(again, o) {
			t.Errorf("%s: the second time %v, the first %v", engine, again, o)
		}
		if after, _ := os.ReadFile(filepath.Join(out, "result.json")); !bytes.Equal(before, after) {
			t.Errorf("%s: the second time wrote another file", engine)
		}
		ranked := object(t, "eval", "--model", filepath.Join(out, "model"), "--dataset", "umls",
			"--engine", engine)
		if got := ranked["test"].(map[string]any)["both"].(map[string]any)["mrr"]; got != r.Final.Test.Both.MRR {
			t.Errorf("%s: the model has test MRR %v, the result says %v", engine, got, r.Final.Test.Both.MRR)
		}
	}
}

// decoded returns a value after encoding and decoding JSON.
func decoded(t *testing.T, value any) map[string]any {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal([]byte(asText(t, value)), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestReproduceFollowsItsFlags: recipe, structure, seed and single settings.
func TestReproduceFollowsItsFlags(t *testing.T) {
	standIn(t, "umls", "wn18rr", "fb15k-237")
	t.Chdir(t.TempDir())
	final := func(arguments ...string) reproduce.Trained {
		status, _, stderr := invoke(t.Context(),
			append([]string{"reproduce", "--stage", "final", "--epochs", "1", "--dim", "8", "--json"},
				arguments...)...)
		if status != cli.Done {
			t.Fatalf("%v: %s", arguments, stderr)
		}
		entries, err := os.ReadDir("autoblm-out")
		if err != nil || len(entries) != 1 {
			t.Fatalf("%v: the folders are %v, %v", arguments, entries, err)
		}
		d := readResult(t, filepath.Join("autoblm-out", entries[0].Name()))
		if err := os.RemoveAll("autoblm-out"); err != nil {
			t.Fatal(err)
		}
		return *d.Result.Final
	}
	paper := final("wn18rr")
	if paper.Recipe != "paper" ||
		paper.Training.Member.Structure.String() != "4,1,0,0;2,4,0,-1;0,0,3,-2;0,-2,-1,4" ||
		paper.Training.Settings.MaxNorm != 1 || paper.Published.MRR != 0.49 {
		t.Errorf("the paper's: %+v", paper)
	}
	rp := final("fb15k-237", "--recipe", "rp", "--seed", "4", "--batch", "256", "--structure",
		"simple")
	m := rp.Training.Member
	if rp.Recipe != "rp" || m.RelationPrediction != 4 || m.N3 != 0.1 || m.Seed != 4 ||
		m.Structure.Name() != "simple" || rp.Training.Settings.Batch != 256 || rp.Published.MRR != 0.388 {
		t.Errorf("another recipe: %+v", rp)
	}
	rescal := final("wn18rr", "--recipe", "rescal", "--dim", "6")
	if m := rescal.Training.Member; m.Form != form.GQE || m.Structure.K() != 0 || m.Products != 0.2 ||
		rescal.Title() != "RESCAL" || rescal.Test == nil || rescal.Published.MRR != 0.498 {
		t.Errorf("a form: %+v", rescal)
	}
	dura := final("wn18rr", "--recipe", "dura", "--dura", "0.5", "--entity-l2", "0")
	if m := dura.Training.Member; m.Products != 0.5 || m.EntityL2 != 0 || m.LearningRate != 0.1 {
		t.Errorf("with --dura: %+v", dura)
	}
}

func TestReproduceRefusals(t *testing.T) {
	standIn(t, "umls", "fb15k-237")
	out := filepath.Join(t.TempDir(), "out")
	object(t, "reproduce", "umls", "--stage", "final", "--epochs", "1", "--dim", "8", "--out", out)
	for says, c := range map[string]struct {
		status    int
		arguments []string
	}{
		"no recipe for nowhere":    {cli.Misuse, []string{"nowhere"}},
		"no recipe n3 for umls":    {cli.Misuse, []string{"umls", "--recipe", "n3"}},
		"multiple of the 4 chunks": {cli.Misuse, []string{"umls", "--dim", "10"}},
		"use --stage final":        {cli.Misuse, []string{"fb15k-237", "--recipe", "rescal"}},
		"gqe has no structure": {cli.Misuse,
			[]string{"fb15k-237", "--recipe", "rescal", "--stage", "final", "--structure", "simple"}},
		"learning-rate":             {cli.Misuse, []string{"umls", "--lr", "0"}},
		"minutes":                   {cli.Misuse, []string{"umls", "--minutes=-1"}},
		"--stage all finds its own": {cli.Misuse, []string{"umls", "--structure", "simple"}},
		"budget is":                 {cli.Misuse, []string{"umls", "--budget=-1"}},
		"is not on this machine":    {cli.Failed, []string{"wn18rr"}},
		"result of another training": {cli.Failed,
			[]string{"umls", "--stage", "final", "--epochs", "2", "--dim", "8", "--out", out}},
		"has no structure: give one": {cli.Failed,
			[]string{"umls", "--stage", "final", "--recipe", "small-search", "--out", out + "2"}},
		"no epoch completed before": {cli.Failed,
			[]string{"umls", "--minutes", "1e-9", "--out", out + "3"}},
		"try a smaller learning rate": {cli.Failed,
			[]string{"umls", "--stage", "final", "--dim", "8", "--epochs", "3", "--lr", "1e38", "--out",
				out + "4"}},
		"cannot make the folder": {cli.Failed,
			[]string{"umls", "--out", filepath.Join(out, "result.json", "x")}},
	} {
		status, stdout, stderr := invoke(t.Context(), append([]string{"reproduce"}, c.arguments...)...)
		lines := strings.Split(strings.TrimSpace(stderr), "\n")
		if status != c.status || !strings.Contains(lines[len(lines)-1], says) || stdout != "" {
			t.Errorf("%v: status %d, want %d; stderr %q, which should say %q; stdout %q", c.arguments,
				status, c.status, stderr, says, stdout)
		}
	}
	if err := os.WriteFile(filepath.Join(out, "result.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := invoke(t.Context(), "reproduce", "umls", "--out",
		out); status != cli.Failed || !strings.Contains(stderr, "result.json") {
		t.Errorf("a damaged result: status %d, %q", status, stderr)
	}
}

// finalOf returns the arguments of a final training that takes some time.
func finalOf(out string) []string {
	return []string{"reproduce", "umls", "--stage", "final", "--dim", "32", "--epochs", "2000",
		"--batch", "16", "--validate-every", "7", "--engine", "cpu", "--save-every", "0s", "--out", out}
}

// untimedFinal returns a result without times.
func untimedFinal(t *testing.T, out string) string {
	t.Helper()
	final := readResult(t, out).Result.Final
	final.Seconds.Compile, final.Seconds.Train, final.Seconds.Evaluate, final.Seconds.PerStep = 0, 0,
		0, 0
	return asText(t, final)
}

// TestReproduceInPieces: after interruptions, kills and deadlines the result has the same bits.
func TestReproduceInPieces(t *testing.T) {
	standIn(t, "umls")
	dir := t.TempDir()
	alone, pieces := filepath.Join(dir, "alone"), filepath.Join(dir, "pieces")
	began := time.Now()
	object(t, finalOf(alone)...)
	took := time.Since(began)
	training := filepath.Join(pieces, "final.training")

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // once an epoch is kept
		for stamp(training) == "" && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	status, stdout, stderr := invoke(ctx, finalOf(pieces)...)
	if status != cli.Failed || !strings.Contains(stderr, "interrupted; resume with: ") ||
		!strings.Contains(stderr, "reproduce umls --stage final") || stdout != "" {
		t.Fatalf("interrupted: status %d, %q, %q", status, stdout, stderr)
	}
	if d := readResult(t, pieces); d.Result.Complete || d.Result.Final != nil &&
		d.Result.Final.Test != nil {
		t.Errorf("interrupted: %+v", d.Result)
	}

	for range 3 {
		before := stamp(training)
		killed := startProgram(t, finalOf(pieces)...)
		for deadline := time.Now().Add(20 * time.Second); stamp(training) == before &&
			time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		if stamp(training) == before {
			t.Fatalf("nothing was kept: %s", killed.Stderr)
		}
		_ = killed.Process.Kill()
		_ = killed.Wait()
	}

	minutes := max(took/4, 300*time.Millisecond).Minutes()
	status, stdout, stderr = invoke(t.Context(),
		append(finalOf(pieces), "--minutes", fmt.Sprint(minutes))...)
	if r := readResult(t, pieces).Result; status != cli.Done || !r.Complete &&
		(r.Final.Test == nil || !strings.Contains(stdout, "Deadline exceeded; resume with: ")) {
		t.Errorf("out of time: status %d, %q, %q, %+v", status, stdout, stderr, r.Final)
	}
	object(t, finalOf(pieces)...)
	if got, want := untimedFinal(t, pieces), untimedFinal(t, alone); got != want {
		t.Errorf("in pieces\n%s\nleft alone\n%s", got, want)
	}
	if _, err := os.Stat(training); err == nil {
		t.Error("what is needed on the way only is still there")
	}
	for _, name := range []string{"entities.npy", "relations.npy", "model.json"} {
		a, errA := os.ReadFile(filepath.Join(alone, "model", name))
		b, errB := os.ReadFile(filepath.Join(pieces, "model", name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs from that of a training left alone (%v, %v)", name, errA, errB)
		}
	}
}

// TestReproduceText prints the result next to the published one.
func TestReproduceText(t *testing.T) {
	standIn(t, "umls")
	out := filepath.Join(t.TempDir(), "out")
	status, stdout, stderr := invoke(t.Context(), "reproduce", "umls", "--budget", "6", "--dim", "8",
		"--epochs", "2", "--out", out)
	for _, want := range []string{"6 of 6 structures", "QuatE", "found 1", "2 of 2 epochs",
		"published: ConvE", "0.940", "valid, epoch 2", out} {
		if status != cli.Done || !strings.Contains(stdout, want) {
			t.Errorf("status %d, %q: the text does not say %q:\n%s", status, stderr, want, stdout)
		}
	}
}

// TestReproduceUMLS runs the command of the README on the real graph with a small budget.
func TestReproduceUMLS(t *testing.T) {
	t.Setenv("AUTOBLM_DATA", filepath.Dir(realdata.Folder(t, "umls")))
	o := object(t, "reproduce", "umls", "--minutes", "1", "--budget", "8", "--out",
		filepath.Join(t.TempDir(), "out"))
	d := o["result"].(map[string]any)
	if d["complete"] != true {
		t.Skip("a minute was not enough here")
	}
	if mrr := d["final"].(map[string]any)["test"].(map[string]any)["both"].(map[string]any)["mrr"].(float64); mrr < 0.9 {
		t.Errorf("test MRR %v, want 0.9 or more", mrr)
	}
}

// TestReproduceOnAnotherEngine: another engine resumes only with --mix-engines.
func TestReproduceOnAnotherEngine(t *testing.T) {
	standIn(t, "umls")
	out := filepath.Join(t.TempDir(), "out")
	search := func(budget string, more ...string) (status int, stdout, stderr string) {
		return invoke(t.Context(), append([]string{"reproduce", "umls", "--stage", "search", "--budget",
			budget, "--out", out}, more...)...)
	}
	if status, _, stderr := search("7", "--engine", "cpu"); status != cli.Done {
		t.Fatal(stderr)
	}
	if status, stdout, stderr := search("8", "--engine", "gomlx", "--backend",
		"go"); status != cli.Failed || stdout != "" || !strings.Contains(stderr, "results of gomlx (go)") ||
		!strings.Contains(stderr, "--mix-engines") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
	if status, _, stderr := search("8", "--engine", "gomlx", "--backend", "go",
		"--mix-engines"); status != cli.Done {
		t.Error(stderr)
	}
}
