package program

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/autoblm/autoblm-go/internal/words"
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
	fmt.Fprintln(o.Stderr, words.PrintableLines(fmt.Sprintf(format, arguments...)))
}

// Drawing is a drawing of our own to be printed, in colours where the result goes to a
// terminal that shows them.
func (o *Output) Drawing(draw func(colour bool) string) string {
	drawing := draw(os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(o.Stdout.W))
	o.Stdout.drawings = append(o.Stdout.drawings, drawing)
	return drawing
}

// Careful remembers the first error of a writer, which whoever prints a table line by line
// does not look at. What is written holds text from data, so what a terminal would obey is
// shown instead, but for the colours of drawings.
type Careful struct {
	W        io.Writer
	Err      error
	drawings []string
}

func (c *Careful) Write(p []byte) (int, error) {
	if c.Err != nil {
		return 0, c.Err
	}
	if _, err := io.WriteString(c.W, c.printable(string(p))); err != nil {
		c.Err = fmt.Errorf("cannot print the result: %w", err)
		return 0, err
	}
	return len(p), nil
}

func (c *Careful) printable(text string) string {
	for _, drawing := range c.drawings {
		if before, after, found := strings.Cut(text, drawing); found {
			return c.printable(before) + drawing + c.printable(after)
		}
	}
	return words.PrintableLines(text)
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
