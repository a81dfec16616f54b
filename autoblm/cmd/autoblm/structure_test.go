package main

import (
	"context"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestStructureList compares with published numbers: 1,592 classes of K=4 with 4 nonzeros, 5 of
// them not degenerate, and 4,016 classes by the paper's symmetries.
func TestStructureList(t *testing.T) {
	for _, test := range []struct {
		arguments []string
		want      int
	}{
		{[]string{"--nonzeros", "4"}, 5},
		{[]string{"--nonzeros", "4", "--all"}, 1592},
		{[]string{"--nonzeros", "4", "--all", "--group", "paper"}, 4016},
		{[]string{"--nonzeros", "1", "--k", "2"}, 0},
	} {
		arguments := append([]string{"structure", "list"}, test.arguments...)
		o := object(t, arguments...)
		listed := o["structures"].([]any)
		status, stdout, stderr := invoke(t.Context(), arguments...)
		lines := strings.Fields(stdout)
		if status != cli.Done || len(listed) != test.want || len(lines) != test.want {
			t.Errorf("%v: status %d, %d in JSON, %d lines, want %d", arguments, status, len(listed),
				len(lines), test.want)
			continue
		}
		for i, line := range lines {
			if listed[i] != line || structure.MustParse(line).String() != line {
				t.Errorf("%v: line %d is %q, and %v in JSON", arguments, i+1, line, listed[i])
			}
		}
		all := strings.Contains(strings.Join(arguments, " "), "--all")
		if all == strings.Contains(stderr, " degenerate ones; --all lists all") {
			t.Errorf("%v: says %q", arguments, stderr)
		}
	}
}

func TestStructureListStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if status, _, stderr := invoke(ctx, "structure", "list", "--nonzeros",
		"16"); status != cli.Failed || !strings.Contains(stderr, "interrupted") {
		t.Errorf("after an interrupt: status %d, %q", status, stderr)
	}
	var messages strings.Builder
	if status := run(t.Context(), []string{"structure", "list", "--nonzeros", "16"}, brokenPipe{},
		&messages); status != cli.Failed || !strings.Contains(messages.String(), "cannot print") {
		t.Errorf("into a closed pipe: status %d, %q", status, messages.String())
	}
	for _, wrong := range [][]string{{"--nonzeros", "17"}, {"--nonzeros", "-1"},
		{"--k", "9", "--nonzeros", "1"}, {}} {
		if status, _, stderr := invoke(t.Context(),
			append([]string{"structure", "list"}, wrong...)...); status != cli.Misuse ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, %q", wrong, status, stderr)
		}
	}
}
