package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/outfile"
	"golang.org/x/term"
)

// Output is where a command writes: its result to Stdout, once, as text or as JSON;
// progress and messages to Stderr. What a command makes it saves first, and says so by
// [Output.Saved]: whatever becomes of the result then, an error says where it is.
type Output struct {
	Stdout *SafeWriter
	Stderr io.Writer
	JSON   bool
	// Arguments are those of the program.
	Arguments []string
	// Record, when set, keeps the result too.
	Record func(value any) error

	files []string // that it will write
	kept  []string
	told  bool // the whole result is out
}

// Writes checks, before the work, that a file of a kind can be written, and is not written
// twice. Where no path is given nothing is to be written.
func (o *Output) CheckFile(path string, kind outfile.Kind) error {
	if path == "" {
		return nil
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if slices.Contains(o.files, whole) {
		return fmt.Errorf("%s would be written twice: name two files", path)
	}
	o.files = append(o.files, whole)
	return outfile.Check(path, kind)
}

// Keep remembers what the command has saved and where, as "the model is in m".
func (o *Output) Saved(format string, arguments ...any) {
	o.kept = append(o.kept, fmt.Sprintf(format, arguments...))
}

// Result keeps the record of a result and prints it: its JSON form when that was asked for,
// and the text that the function writes otherwise. One is done though the other fails.
func (o *Output) Result(value any, text func(w io.Writer)) (err error) {
	if o.Record != nil {
		if err = o.Record(value); err != nil {
			err = fmt.Errorf("cannot write the record: %w", err)
		}
	}
	if o.JSON {
		encoder := json.NewEncoder(o.Stdout)
		encoder.SetEscapeHTML(false)
		if failed := encoder.Encode(value); o.Stdout.Err == nil { // else End says it
			err = errors.Join(err, failed)
		}
	} else {
		text(o.Stdout)
	}
	o.told = err == nil && o.Stdout.Err == nil
	return err
}

// errEnough is that a reader closed its end in the middle of a result, as head does, and
// needs no words.
var errEnough = errors.New("the reader has had enough")

// End is what a command failed of: its own error, or that its result could not be printed.
// Where the result is not out it says what is kept.
func (o *Output) End(err error) error {
	if err == nil && len(o.kept) == 0 && o.Stdout.some && errors.Is(o.Stdout.Err, syscall.EPIPE) {
		return errEnough
	}
	err = errors.Join(err, o.Stdout.Err)
	if err == nil || o.told || len(o.kept) == 0 {
		return err
	}
	return fmt.Errorf("%w; %s", err, format.List(o.kept, "and"))
}

// SyncWriter is a writer to which a bar and messages can be written at a time: files can be, as
// they are.
func SyncWriter(w io.Writer) io.Writer {
	if _, is := w.(*os.File); is {
		return w
	}
	return &together{w: w}
}

type together struct {
	one sync.Mutex
	w   io.Writer
}

func (t *together) Write(p []byte) (int, error) {
	t.one.Lock()
	defer t.one.Unlock()
	return t.w.Write(p)
}

// Say writes a message that is no part of the result.
func (o *Output) Message(message string, arguments ...any) {
	fmt.Fprintln(o.Stderr, format.EscapeLines(fmt.Sprintf(message, arguments...)))
}

// Drawing is a drawing of our own to be printed, in colours where the result goes to a
// terminal that shows them.
func (o *Output) Drawing(draw func(colour bool) string) string {
	drawing := draw(os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(o.Stdout.W))
	o.Stdout.drawings = append(o.Stdout.drawings, drawing)
	return drawing
}

// SafeWriter remembers the first error of a writer, which whoever prints a table line by line
// does not look at. What is written holds text from data, so what a terminal would obey is
// shown instead, but for the colours of drawings.
type SafeWriter struct {
	W        io.Writer
	Err      error
	some     bool // has been written
	drawings []string
}

func (c *SafeWriter) Write(p []byte) (int, error) {
	if c.Err != nil {
		return 0, c.Err
	}
	n, err := io.WriteString(c.W, c.printable(string(p)))
	c.some = c.some || n > 0
	if err != nil {
		reason := err
		if path := new(os.PathError); errors.As(err, &path) {
			reason = path.Err
		}
		c.Err = fmt.Errorf("cannot print the result: %w", reason)
		return 0, err
	}
	return len(p), nil
}

func (c *SafeWriter) printable(text string) string {
	for _, drawing := range c.drawings {
		if before, after, found := strings.Cut(text, drawing); found {
			return c.printable(before) + drawing + c.printable(after)
		}
	}
	return format.EscapeLines(text)
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
