package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// output is where a command writes: its result to stdout, once, as text or as
// JSON; progress and messages to stderr.
type output struct {
	stdout, stderr io.Writer
	json           bool
	arguments      []string
}

// result prints the JSON form of a result when that was asked for, and the
// text that the function writes otherwise.
func (o *output) result(value any, text func(w io.Writer)) error {
	if o.json {
		encoder := json.NewEncoder(o.stdout)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(value)
	}
	text(o.stdout)
	return nil
}

// say writes a message that is no part of the result.
func (o *output) say(format string, arguments ...any) {
	fmt.Fprintf(o.stderr, format+"\n", arguments...)
}

// colour tells whether the result goes to a terminal that shows colours.
func (o *output) colour() bool {
	return os.Getenv("NO_COLOR") == "" && isTerminal(o.stdout)
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// table prints rows in columns: the first left-aligned, the others right.
type table struct {
	header []string
	rows   [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(w io.Writer) {
	width := make([]int, len(t.header))
	all := append([][]string{t.header}, t.rows...)
	for _, row := range all {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for n, row := range all {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line.WriteString(cell + pad)
			} else {
				line.WriteString("  " + pad + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
		if n == 0 {
			total := 2 * (len(width) - 1)
			for _, x := range width {
				total += x
			}
			fmt.Fprintln(w, strings.Repeat("─", total))
		}
	}
}
