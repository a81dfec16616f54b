package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/autoblm/autoblm-go/internal/program"
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
	dir, graph := t.TempDir(), smallGraph(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	return map[string]maker{
		"train":          {at("m1/model.json"), "the model is in ", []string{"train", "--dataset", graph, "--structure", "simple", "--dim", "4", "--epochs", "1", "--out", at("m1")}},
		"query train":    {at("m2/model.json"), "the model is in ", []string{"query", "train", "--dataset", queries(t), "--structure", "simple", "--hops", "2", "--dim", "4", "--epochs", "1", "--out", at("m2")}},
		"classify train": {at("m3/model.json"), "the model is in ", []string{"classify", "train", "--dataset", kinds(t, nil), "--structure", "distmult", "--dim", "4", "--epochs", "2", "--runs", "1", "--out", at("m3")}},
	}
}

// TestNothingIsLostThatCannotBePrinted or recorded at the end: it is made, and the error says
// where it is.
func TestNothingIsLostThatCannotBePrinted(t *testing.T) {
	for name, m := range makers(t) {
		t.Run(name, func(t *testing.T) {
			for _, form := range [][]string{nil, {"--json"}} {
				folder := filepath.Dir(m.out)
				if err := os.RemoveAll(m.out); err != nil {
					t.Fatal(err)
				}
				reader, closed, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				reader.Close()
				for why, w := range map[string]io.Writer{"broken pipe": closed, "no space left on device": full(t)} {
					var messages bytes.Buffer
					status := run(t.Context(), append(m.arguments, form...), w, &messages)
					if status != program.Failed || !strings.Contains(messages.String(), "cannot print the result: "+why+"; ") || !strings.Contains(messages.String(), m.keeps+strings.TrimSuffix(folder, "/")) {
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

// TestClosedPipeEndsNothing: the program as a process of its own, which a signal could end.
func TestClosedPipeEndsNothing(t *testing.T) {
	m := makers(t)["train"]
	reader, closed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	command := programOf(t, m.arguments...)
	command.Stdout = closed
	err = command.Run()
	if messages := command.Stderr.(*bytes.Buffer).String(); command.ProcessState.ExitCode() != program.Failed || !strings.Contains(messages, m.keeps) {
		t.Errorf("%v: %q", err, messages)
	}
	if _, err := os.Stat(m.out); err != nil {
		t.Error(err)
	}
}

// TestRecordIsCheckedFirst: before the work of any command, and of what is kept nothing is
// touched.
func TestRecordIsCheckedFirst(t *testing.T) {
	for name, m := range makers(t) {
		file := filepath.Join(t.TempDir(), "none", "x.json")
		status, stdout, stderr := invoke(t.Context(), append(m.arguments, "--record", file)...)
		if status != program.Failed || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, file) {
			t.Errorf("%s: status %d, %q, %q", name, status, stdout, stderr)
		}
		if _, err := os.Stat(m.out); err == nil {
			t.Errorf("%s worked before it looked where its record goes", name)
		}
	}
}
