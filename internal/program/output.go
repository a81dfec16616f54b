package program

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// Output is where a command writes: its result to Stdout, once, as text or as JSON;
// progress and messages to Stderr.
type Output struct {
	Stdout *Careful
	Stderr io.Writer
	JSON   bool
	// Arguments are those of the program.
	Arguments []string
	// Record, when set, keeps the result too.
	Record func(value any) error
}

// Result prints the JSON form of a result when that was asked for, and the text that the
// function writes otherwise.
func (o *Output) Result(value any, text func(w io.Writer)) error {
	if o.Record != nil {
		if err := o.Record(value); err != nil {
			return fmt.Errorf("cannot write the record: %w", err)
		}
	}
	if o.JSON {
		encoder := json.NewEncoder(o.Stdout)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(value)
	}
	text(o.Stdout)
	return nil
}

// Say writes a message that is no part of the result.
func (o *Output) Say(format string, arguments ...any) {
	fmt.Fprintf(o.Stderr, format+"\n", arguments...)
}

// Colour tells whether the result goes to a terminal that shows colours.
func (o *Output) Colour() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(o.Stdout.W)
}

// Careful remembers the first error of a writer, which whoever prints a table line by line
// does not look at.
type Careful struct {
	W   io.Writer
	Err error
}

func (c *Careful) Write(p []byte) (int, error) {
	if c.Err != nil {
		return 0, c.Err
	}
	n, err := c.W.Write(p)
	if err != nil {
		c.Err = fmt.Errorf("cannot print the result: %w", err)
	}
	return n, err
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
