package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// messy is a table that a person exported by hand.
func messy() string {
	var table strings.Builder
	table.WriteString("\uFEFFid;who;what;whom;sure;when\n# exported by hand\n")
	for i := range 30 {
		month := string(rune('1' + i/5))
		line := strings.NewReplacer("A", string(rune('a'+i%10)), "B", string(rune('a'+(i+1+i/10)%10)), "M", month)
		table.WriteString(line.Replace("0;\"A \"\"x\"\"\";r;B;0.5;2024-0M-01\n"))
	}
	return table.String() + "1;a;height;190;1;2024-01-01\n2;b;r;;1;2024-01-01\nbroken\n"
}

// TestImportOfAMessyTable imports a table, with a short report of all that was dropped, and trains
// on the folder with its weights.
func TestImportOfAMessyTable(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, messy(), "facts.csv")
	const columns = "dataset import facts.csv --columns head=who,relation=what,tail=whom,weight=sure," +
		"time=when --by time"
	fail(t, cli.Failed, "facts.csv:1: no column is known to be the head", "dataset import facts.csv --out g")
	fail(t, cli.Failed, "facts.csv:35: found 1 field; other lines have 6 (see autoblm dataset import "+
		"--lenient", columns, "--out g")
	stdout, _ := succeed(t, columns, "--lenient --out g")
	contains(t, strings.Join(strings.Fields(stdout), " "), "graph written", "read 31 facts of facts.csv (csv, head who, relation what",
		"not used: id", "comments and empty lines: 1, such as facts.csv:2",
		"malformed lines: 1, such as facts.csv:35", "a number or a literal: 1, such as facts.csv:33: a, height,",
		"facts without a head, relation or tail: 1, such as facts.csv:34", "weights.txt")
	if lines := strings.Count(stdout, "\n"); lines > 15 {
		t.Errorf("%d lines:\n%s", lines, stdout)
	}
	const whole = "such as facts.csv:35: found 1 field; other lines have 6"
	stdout, _ = succeed(t, columns, "--lenient --out whole --verbose")
	contains(t, strings.Join(strings.Fields(stdout), " "), whole)
	fail(t, cli.Misuse, "head is given twice", "dataset import facts.csv --columns head=who,head=id --out g2")
	contains(t, readFile(t, "g/test.txt"), "\"x\"\tr\t")
	succeed(t, "train --dataset g --out m", quick)
}

// TestNextWithoutSplits: no command is suggested that needs splits which the graph lacks.
func TestNextWithoutSplits(t *testing.T) {
	dir := t.TempDir()
	facts := writeFile(t, "Portugal\tborders\tSpain\nLisbon\tcapital_of\tPortugal\n", dir, "facts.tsv")
	graph := filepath.Join(dir, "graph")
	for _, line := range []string{
		"dataset import " + facts + " --out " + graph, "dataset info " + graph,
		"train --epochs 1 --dim 8 --dataset " + graph + " --out " + filepath.Join(dir, "model"),
	} {
		stdout, _ := succeed(t, line)
		_, next, _ := strings.Cut(stdout, "  Next")
		if next == "" || strings.Contains(next, "autoblm search") || strings.Contains(next, "autoblm eval") {
			t.Errorf("%s suggests %q", line, next)
		}
	}
}
