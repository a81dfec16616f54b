package main

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

func TestAblate(t *testing.T) {
	graph := smallGraph(t)
	for name, c := range map[string]struct {
		flags    string
		pictures []string
	}{
		"predictor": {"", []string{"structures"}},
		"sharing":   {"--shared-epochs 2", []string{"scatter"}},
		"dimension": {"--other-dim 12", []string{"scatter"}},
		"transfer":  {"--to " + graph, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			line := "ablate " + name + " --seeds 2 --budget 6 --dim 8 --epochs 2 --batch 32 --dataset " +
				graph + " --out " + dir + " " + c.flags
			o := object(t, line)
			has(t, o, fields{"ablation": name, "seeds": 2, "budget": 6})
			same(t, "the same command", object(t, line), o) // is answered from the studies
			var written map[string]any
			decodeExactly(t, []byte(readFile(t, dir, name+".json")), &written)
			table := csv.NewReader(strings.NewReader(readFile(t, dir, name+".csv")))
			if rows, err := table.ReadAll(); err != nil || len(rows) < 2 {
				t.Errorf("%s.csv has the rows %v, %v", name, rows, err)
			}
			for _, picture := range c.pictures {
				if readFile(t, dir, name+"-"+picture+".png") == "" ||
					readFile(t, dir, name+"-"+picture+".svg") == "" {
					t.Errorf("%s is no picture", picture)
				}
			}
		})
	}
}

func TestAblateRefuses(t *testing.T) {
	graph := " --dataset " + smallGraph(t)
	refuse(t, []refusal{
		{cli.Misuse, "use algorithm", "ablate colour"},
		{cli.Misuse, "--to", "ablate transfer" + graph},
		{cli.Misuse, "other comparisons have none", "ablate filter --to world" + graph},
		{cli.Misuse, "leave out --dim", "ablate k --dim 8" + graph},
		{cli.Misuse, "dim is 9", "ablate filter --dim 9" + graph},
	})
}
