package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/record"
)

// TestRecord: the record has the printed JSON and the command, without --record.
func TestRecord(t *testing.T) {
	for _, flag := range [][]string{{"--record"}, {"--record="}} {
		file := filepath.Join(t.TempDir(), "record.json")
		arguments := append([]string{"structure", "count", "--k", "3"}, flag...)
		if len(flag[0]) == len("--record") {
			arguments = append(arguments, file)
		} else {
			arguments[len(arguments)-1] += file
		}
		printed := object(t, arguments...)
		d, err := record.Read[map[string]any](file)
		if err != nil {
			t.Fatal(err)
		}
		if want := " structure count --k 3 --json"; !strings.HasSuffix(d.Command, want) {
			t.Errorf("command %q, want it to end in %q", d.Command, want)
		}
		if len(d.Result) == 0 || d.Result["k"] != printed["k"] || d.Machine == "" || d.Date == "" ||
			d.Versions["go"] == "" {
			t.Errorf("the record %+v is not of %v", d, printed)
		}
	}
}

// TestRecordHasThreads: the record has the available and the used threads.
func TestRecordHasThreads(t *testing.T) {
	for _, threads := range []int{1, 3} {
		file := filepath.Join(t.TempDir(), "record.json")
		object(t, "train", "--dataset", smallGraph(t), "--recipe", "basic", "--structure", "complex",
			"--dim", "8", "--epochs", "1", "--threads", strconv.Itoa(threads), "--out", t.TempDir(),
			"--record", file)
		d, err := record.Read[map[string]any](file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(d.Machine, fmt.Sprintf(", %d of them used", threads)) {
			t.Errorf("%d threads: %q", threads, d.Machine)
		}
	}
}

func TestRecordThatCannotBeWritten(t *testing.T) {
	status, _, stderr := invoke(t.Context(), "structure", "check", "simple", "--record",
		filepath.Join(t.TempDir(), "none", "record.json"))
	if status != cli.Failed || stderr == "" {
		t.Errorf("status %d, %q", status, stderr)
	}
}
