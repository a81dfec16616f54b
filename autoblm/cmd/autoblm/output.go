package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/autoblm/autoblm-go/internal/words"
	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// output is where a command writes: its result to stdout, once, as text or as
// JSON; progress and messages to stderr.
type output struct {
	stdout    *careful
	terminal  bool // is what stdout writes to
	stderr    io.Writer
	json      bool
	arguments []string

	recordFile string // where a record of the result goes; "" for nowhere
}

// result prints the JSON form of a result when that was asked for, and the
// text that the function writes otherwise.
func (o *output) result(value any, text func(w io.Writer)) error {
	if o.recordFile != "" {
		if err := o.record(value); err != nil {
			return err
		}
	}
	if o.json {
		encoder := json.NewEncoder(o.stdout)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(value)
	}
	text(o.stdout)
	return nil
}

// careful remembers the first error of a writer, which whoever prints a table
// line by line does not look at.
type careful struct {
	w   io.Writer
	err error
}

func (c *careful) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	if err != nil {
		c.err = fmt.Errorf("cannot print the result: %w", err)
	}
	return n, err
}

// say writes a message that is no part of the result.
func (o *output) say(format string, arguments ...any) {
	fmt.Fprintf(o.stderr, format+"\n", arguments...)
}

// colour tells whether the result goes to a terminal that shows colours.
func (o *output) colour() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && o.terminal
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

func plural(n int, what string) string { return words.Count(n, what) }

func count(n int) string { return words.Whole(n) }

const missing = words.Missing

// table prints rows in columns, numbers right-aligned.
type table struct {
	header []string
	rows   [][]string
}

func (t *table) add(cells ...string) {
	for i := range cells {
		cells[i] = printable(cells[i])
	}
	t.rows = append(t.rows, cells)
}

func printable(label string) string { return words.Printable(label) }

func (t *table) print(w io.Writer) {
	columns := make([]column, len(t.header))
	total := 2 * (len(columns) - 1)
	for i := range columns {
		columns[i] = t.column(i)
		total += columns[i].width
	}
	for n, row := range append([][]string{t.header}, t.rows...) {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = columns[i].pad(cell)
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(cells, "  "), " "))
		if n == 0 {
			fmt.Fprintln(w, strings.Repeat("─", total))
		}
	}
}

type column struct {
	width   int
	numbers bool
}

func (t *table) column(i int) column {
	c := column{width: uniseg.StringWidth(t.header[i]), numbers: true}
	for _, row := range t.rows {
		c.width = max(c.width, uniseg.StringWidth(row[i]))
		if cell := row[i]; cell != "" && !strings.ContainsAny(cell[:1], "-0123456789") && !strings.HasPrefix(cell, missing) {
			c.numbers = false
		}
	}
	return c
}

func (c column) pad(cell string) string {
	space := strings.Repeat(" ", c.width-uniseg.StringWidth(cell))
	if c.numbers {
		return space + cell
	}
	return cell + space
}
