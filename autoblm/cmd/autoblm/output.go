package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

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
