package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/record"
)

// TestRecord: the record has the printed JSON and the command, without --record, and the threads.
func TestRecord(t *testing.T) {
	graph := smallGraph(t)
	for _, c := range []struct {
		line, flag string
		threads    int
	}{
		{"structure count --k 3", "--record ", 0},
		{"structure count --k 3", "--record=", 0},
		{"train --threads 1 --dataset " + graph + quick + "--out " + t.TempDir(), "--record ", 1},
		{"train --threads 3 --dataset " + graph + quick + "--out " + t.TempDir(), "--record ", 3},
	} {
		file := t.TempDir() + "/record.json"
		printed := object(t, c.line, c.flag+file)
		d, err := record.Read[map[string]any](file)
		must(t, err)
		same(t, "the result in the record", d.Result, printed)
		command, _, _ := strings.Cut(c.line, " --dataset") // paths are shortened
		contains(t, d.Command, " "+command+" --")
		if !strings.HasSuffix(d.Command, " --json") || strings.Contains(d.Command, "--record") {
			t.Errorf("the command is %q", d.Command)
		}
		if d.Machine == "" || d.Date == "" || d.Versions["go"] == "" ||
			c.threads > 0 && !strings.Contains(d.Machine, fmt.Sprintf(", %d of them used", c.threads)) {
			t.Errorf("%s: the record is %+v", c.line, d)
		}
	}
	fail(t, cli.Failed, "", "structure check simple --record", t.TempDir()+"/none/record.json")
}
