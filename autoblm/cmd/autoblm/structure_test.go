package main

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestStructureList compares with published numbers: 1,592 classes of K=4 with 4 nonzeros, 5 of
// them not degenerate, and 4,016 classes by the paper's symmetries.
func TestStructureList(t *testing.T) {
	for flags, want := range map[string]int{
		"--nonzeros 4":                     5,
		"--nonzeros 4 --all":               1592,
		"--nonzeros 4 --all --group paper": 4016,
		"--nonzeros 1 --k 2":               0,
	} {
		o := object(t, "structure list", flags)
		stdout, stderr := succeed(t, "structure list", flags)
		lines := strings.Fields(stdout)
		if len(lines) != want {
			t.Errorf("%s: %d lines, want %d", flags, len(lines), want)
		}
		has(t, o, fields{"structures": orEmpty(lines)})
		for _, line := range lines {
			if structure.MustParse(line).String() != line {
				t.Errorf("%s: %q is not in its form", flags, line)
			}
		}
		if strings.Contains(flags, "--all") ==
			strings.Contains(stderr, " degenerate ones; --all lists all") {
			t.Errorf("%s: says %q", flags, stderr)
		}
	}
}

func TestStructureListStops(t *testing.T) {
	failInterrupted(t, "interrupted", "structure list --nonzeros 16")
	var messages strings.Builder
	arguments := []string{"structure", "list", "--nonzeros", "16"}
	if status := run(t.Context(), arguments, closedPipe(t), &messages); status != cli.Failed ||
		!strings.Contains(messages.String(), "cannot print") {
		t.Errorf("into a closed pipe: status %d, %q", status, messages.String())
	}
	refuse(t, []refusal{
		{cli.Misuse, "nonzeros is 17", "structure list --nonzeros 17"},
		{cli.Misuse, "--nonzeros", "structure list"},
	})
}
