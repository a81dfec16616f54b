package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// maker is a command that makes something at out, says how, and can be checked.
type maker struct {
	out       string // what it makes, also where that is a file in a folder
	keeps     string // how it says where that is, before its path
	arguments []string
}

// makers are small runs of all commands that make something.
func makers(t *testing.T) map[string]maker {
	t.Helper()
	standIn(t, "umls")
	dir, graph := t.TempDir(), smallGraph(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	study := at("study.db")
	object(t, "search", "--recipe", "basic", "--dataset", graph, "--study", study, "--out",
		at("searched"), "--budget", "6", "--dim", "4", "--epochs", "1", "--candidates", "16",
		"--round-size", "4")
	quick := []string{"--budget", "6", "--dim", "4", "--epochs", "1"}
	object(t, "train", "--dataset", graph, "--structure", "simple", "--dim", "4", "--epochs", "1",
		"--members", "2", "--keep-members", "--out", at("seeds"))
	for _, name := range []string{"m6", "m7"} { // where the study lies, which is what is kept
		if err := os.Mkdir(at(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return map[string]maker{
		"query sample": {at("m11"), "the queries are in ",
			[]string{"query", "sample", "--dataset", graph, "--hops", "2", "--count", "9", "--out",
				at("m11")}},
		"dataset split": {at("m12"), "the splits are in ",
			[]string{"dataset", "split", filepath.Join(graph, "train.txt"), "--out", at("m12")}},
		"search": {at("m6/study.db"), "the study is ",
			append([]string{"search", "--recipe", "basic", "--dataset", graph, "--out", at("m6")},
				quick...)},
		"ablate": {at("m7/predictor.csv"), "the studies are in ",
			append([]string{"ablate", "predictor", "--dataset", graph, "--seeds", "1", "--out", at("m7")},
				quick...)},
		"report": {at("report.html"), "the report is ",
			[]string{"report", "--study", study, "--out", at("report.html")}},
		"study best": {at("m8/model.json"), "the model is in ",
			[]string{"study", "best", study, "--out", at("m8")}},
		"study export": {at("trials.csv"), "the trials are in ",
			[]string{"study", "export", study, "--csv", "--out", at("trials.csv")}},
		"study resume": {at("m9/best.png"), "the study is ",
			[]string{"study", "resume", study, "--budget", "7", "--out", at("m9")}},
		"reproduce": {at("m10/result.json"), "the result is ",
			[]string{"reproduce", "umls", "--stage", "final", "--epochs", "1", "--dim", "8", "--out",
				at("m10")}},
		"ensemble": {at("m13/model.json"), "the ensemble is in ",
			[]string{"ensemble", at("seeds/seed-1"), at("seeds/seed-2"), "--all", "--dataset", graph,
				"--out", at("m13")}},
		"train": {at("m1/model.json"), "the model is in ",
			[]string{"train", "--dataset", graph, "--structure", "simple", "--dim", "4", "--epochs", "1",
				"--out", at("m1")}},
		"query train": {at("m2/model.json"), "the model is in ",
			[]string{"query", "train", "--dataset", queries(t), "--structure", "simple", "--hops", "2",
				"--dim", "4", "--epochs", "1", "--out", at("m2")}},
		"classify train": {at("m3/model.json"), "the model is in ",
			[]string{"classify", "train", "--dataset", kinds(t, nil), "--structure", "distmult", "--dim",
				"4", "--epochs", "2", "--runs", "1", "--out", at("m3")}},
	}
}

// TestUnprintableResults: a result that cannot be printed or recorded is saved, and the error names
// its place.
func TestUnprintableResults(t *testing.T) {
	for name, m := range makers(t) {
		t.Run(name, func(t *testing.T) {
			for _, form := range [][]string{nil, {"--json"}} {
				reader, closed, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				reader.Close()
				for why, w := range map[string]io.Writer{"broken pipe": closed,
					"no space left on device": full(t)} {
					if err := os.RemoveAll(m.out); err != nil {
						t.Fatal(err)
					}
					var messages bytes.Buffer
					status := run(t.Context(), append(m.arguments, form...), w, &messages)
					if status != cli.Failed || !strings.Contains(messages.String(),
						"cannot print the result: "+why+"; ") || !strings.Contains(messages.String(), m.keeps) {
						t.Errorf("%v, %s: status %d, %q", form, why, status, messages.String())
					}
					if info, err := os.Stat(m.out); err != nil || info.Size() == 0 {
						t.Errorf("%v, %s: %v", form, why, err)
					}
				}
				closed.Close()
			}
		})
	}
}

// full is a file that nothing can be written to, /dev/full where there is one.
func full(t *testing.T) io.Writer {
	t.Helper()
	file, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		return failing{}
	}
	t.Cleanup(func() { file.Close() })
	return file
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestClosedPipe: a closed pipe does not end a command before it saves its results.
func TestClosedPipe(t *testing.T) {
	m := makers(t)["train"]
	reader, closed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	command := programOf(t, m.arguments...)
	command.Stdout = closed
	err = command.Run()
	if messages := command.Stderr.(*bytes.Buffer).String(); command.ProcessState.ExitCode() != cli.Failed || !strings.Contains(messages, m.keeps) {
		t.Errorf("%v: %q", err, messages)
	}
	if _, err := os.Stat(m.out); err != nil {
		t.Error(err)
	}
}

// TestUnprintableHelp: help that cannot be printed is a failure, help that is read in part is not.
func TestUnprintableHelp(t *testing.T) {
	for says, w := range map[string]io.Writer{"": &limited{1, syscall.EPIPE},
		"autoblm: cannot print the result: no space left on device\n": &limited{0, syscall.ENOSPC}} {
		var messages bytes.Buffer
		if status := run(t.Context(), []string{"train", "--help"}, w, &messages); status != cli.Failed ||
			messages.String() != says {
			t.Errorf("status %d, %q; want %q", status, messages.String(), says)
		}
	}
}

// limited takes so many writes, and fails then.
type limited struct {
	left int
	err  error
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left--; l.left < 0 {
		return 0, l.err
	}
	return len(p), nil
}

// TestRecordIsCheckedFirst: a command checks the file of its record before its work.
func TestRecordIsCheckedFirst(t *testing.T) {
	for name, m := range makers(t) {
		file := filepath.Join(t.TempDir(), "none", "x.json")
		status, stdout, stderr := invoke(t.Context(), append(m.arguments, "--record", file)...)
		if status != cli.Failed || stdout != "" || strings.Count(stderr, "\n") != 1 ||
			!strings.Contains(stderr, file) {
			t.Errorf("%s: status %d, %q, %q", name, status, stdout, stderr)
		}
		if _, err := os.Stat(m.out); err == nil {
			t.Errorf("%s worked before it looked where its record goes", name)
		}
	}
}

// TestForeignFilesAreKept: a command does not replace files that are not of its own kind.
func TestForeignFilesAreKept(t *testing.T) {
	dir, graph := t.TempDir(), smallGraph(t)
	study, model, triples := filepath.Join(dir, "s.db"), filepath.Join(dir, "m"),
		filepath.Join(graph, "train.txt")
	object(t, "search", "--recipe", "basic", "--dataset", graph, "--study", study, "--out",
		filepath.Join(dir, "out"), "--budget", "6", "--dim", "4", "--epochs", "1", "--candidates", "16",
		"--round-size", "4")
	object(t, "study", "best", study, "--out", model)
	symbolic, hard := filepath.Join(dir, "symbolic"), filepath.Join(dir, "hard")
	if err := errors.Join(os.Symlink(study, symbolic), os.Link(study, hard)); err != nil {
		t.Skip(err)
	}
	object(t, "train", "--dataset", graph, "--structure", "simple", "--dim", "4", "--epochs", "1",
		"--members", "2", "--keep-members", "--out", filepath.Join(dir, "seeds"))
	one, two := filepath.Join(dir, "seeds", "seed-1"), filepath.Join(dir, "seeds", "seed-2")
	if err := os.MkdirAll(filepath.Join(dir, "seeds", "seed-9"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "seeds", "seed-9", "relations.txt"), []byte("r\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	labels := t.TempDir()
	if err := os.WriteFile(filepath.Join(labels, "entities.txt"), []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	content := func() (all string) {
		for _, file := range []string{study, symbolic, hard, triples, filepath.Join(model, "model.json"),
			filepath.Join(one, "model.json"), filepath.Join(labels, "entities.txt")} {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all += file + string(text)
		}
		return all
	}
	before := content()
	for _, c := range []struct {
		arguments []string
		says      string
	}{
		{[]string{"report", "--study", study, "--out", study}, "is a study"},
		{[]string{"report", "--study", study, "--out",
			filepath.Join(dir, "..", filepath.Base(dir), "s.db")}, "is a study"},
		{[]string{"report", "--study", study, "--out", symbolic}, "is a study"},
		{[]string{"report", "--study", study, "--out", hard}, "is a study"},
		{[]string{"report", "--study", study, "--out", triples}, "is not a page"},
		{[]string{"report", "--study", study, "--out", dir}, "is a folder"},
		{[]string{"report", "--study", study, "--out", os.DevNull}, "no regular file"},
		{[]string{"study", "export", study, "--csv", "--out", study}, "is a study"},
		{[]string{"study", "export", study, "--csv", "--out", symbolic}, "is a study"},
		{[]string{"study", "show", study, "--record", study}, "is a study"},
		{[]string{"study", "show", study, "--record", hard}, "is a study"},
		{[]string{"study", "show", study, "--record", model}, "is a folder"},
		{[]string{"eval", "--dataset", graph, "--model", model, "--record",
			filepath.Join(model, "model.json")}, "is not a record"},
		{[]string{"eval", "--dataset", graph, "--model", model, "--record", triples}, "is not a record"},
		{[]string{"report", "--study", study, "--out", filepath.Join(dir, "x"), "--record",
			filepath.Join(dir, "x")}, "written twice"},
		{[]string{"study", "best", study, "--out", labels}, "of other data"},
		{[]string{"train", "--dataset", graph, "--structure", "simple", "--out", labels},
			"of other data"},
		{[]string{"train", "--dataset", graph, "--structure", "simple", "--keep-members", "--seed", "9",
			"--out", filepath.Join(dir, "seeds")}, "of other data"},
		{[]string{"ensemble", one, two, "--dataset", graph, "--out", labels}, "of other data"},
		{[]string{"ensemble", one, two, "--dataset", graph, "--out", model}, "it has a single model"},
		{[]string{"ensemble", one, two, "--dataset", graph, "--out", one}, "it contains the candidate"},
		{[]string{"ensemble", one, two, "--dataset", graph, "--out", filepath.Join(dir, "seeds")},
			"it contains the candidate"},
		{[]string{"ensemble", one, two, "--dataset", graph, "--out", triples}, "cannot make the folder"},
	} {
		status, stdout, stderr := invoke(t.Context(), c.arguments...)
		if status != cli.Failed || stdout != "" || !strings.Contains(stderr, c.says) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, %q, %q", c.arguments, status, stdout, stderr)
		}
		if content() != before {
			t.Fatalf("%v: something was replaced", c.arguments)
		}
	}
	for range 2 { // what is its own is replaced
		page, record := filepath.Join(dir, "page.html"), filepath.Join(dir, "record.json")
		object(t, "report", "--study", study, "--out", page, "--record", record)
		object(t, "study", "export", study, "--csv", "--out", filepath.Join(dir, "trials.csv"))
		object(t, "study", "best", study, "--out", model)
		object(t, "ensemble", one, two, "--dataset", graph, "--out", filepath.Join(dir, "ensemble"))
	}
}
