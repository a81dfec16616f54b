package cli

import (
	"bytes"
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

// Output is the output of a command: one result on Stdout, as text or JSON, and progress and
// messages on Stderr. A command saves files before it prints, and reports them to [Output.Saved],
// so that the error of a failed print can name them.
type Output struct {
	Stdout *SafeWriter
	Stderr io.Writer
	JSON   bool
	// Verbose adds details to the text of a result.
	Verbose bool
	// Arguments are the arguments of the program.
	Arguments []string
	// Record, if set, stores the result, too.
	Record func(value any) error
	// Warnings are added to a JSON object as "warnings", unless nil.
	Warnings []string

	once    []string // messages of Once
	files   []string // that the command will write
	saved   []string
	printed bool // the whole result
}

// CheckFile returns an error if a file of a kind cannot be written, or is written twice. It accepts
// an empty path, which means no file.
func (o *Output) CheckFile(path string, kind outfile.Kind) error {
	if path == "" {
		return nil
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if slices.Contains(o.files, absolute) {
		return fmt.Errorf("%s would be written twice: name two files", path)
	}
	o.files = append(o.files, absolute)
	return outfile.Check(path, kind)
}

// Saved notes a saved file, such as "the model is in m".
func (o *Output) Saved(format string, arguments ...any) {
	o.saved = append(o.saved, fmt.Sprintf(format, arguments...))
}

// Result stores the record of a result and prints it as JSON, or as the text that the function
// writes, wrapped at the width of the terminal. It does both even if one fails.
func (o *Output) Result(value any, text func(w io.Writer)) (err error) {
	if o.Warnings != nil {
		value = warned{value, o.Warnings}
	}
	if o.Record != nil {
		if err = o.Record(value); err != nil {
			err = fmt.Errorf("cannot write the record: %w", err)
		}
	}
	if o.JSON {
		encoder := json.NewEncoder(o.Stdout)
		encoder.SetEscapeHTML(false)
		if failed := encoder.Encode(value); o.Stdout.Err == nil { // End reports that error
			err = errors.Join(err, failed)
		}
	} else {
		o.Stdout.hold()
		text(o.Stdout)
		o.Stdout.release()
	}
	o.printed = err == nil && o.Stdout.Err == nil
	return err
}

// warned is a value with warnings as a last field of its JSON object.
type warned struct {
	value    any
	warnings []string
}

// MarshalJSON implements [json.Marshaler].
func (w warned) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := errors.Join(encoder.Encode(w.value), encoder.Encode(w.warnings)); err != nil {
		return nil, err
	}
	value, warnings, _ := bytes.Cut(bytes.TrimSpace(text.Bytes()), []byte("\n"))
	if !bytes.HasSuffix(value, []byte("}")) {
		return value, nil
	}
	separator := ","
	if len(value) == len("{}") {
		separator = ""
	}
	return fmt.Appendf(nil, "%s%s\"warnings\":%s}", value[:len(value)-1], separator, warnings), nil
}

// errClosedPipe means that a reader, such as head, closed the pipe within a result. It is not
// printed.
var errClosedPipe = errors.New("the reader closed the pipe")

// End returns the final error of a command: its own, or that of printing its result. If the result
// was not printed, the error names the saved files.
func (o *Output) End(err error) error {
	isClosedPipe := o.Stdout.hasOutput && errors.Is(o.Stdout.Err, syscall.EPIPE)
	if err == nil && len(o.saved) == 0 && isClosedPipe {
		return errClosedPipe
	}
	err = errors.Join(err, o.Stdout.Err)
	if err == nil || o.printed || len(o.saved) == 0 {
		return err
	}
	return fmt.Errorf("%w; %s", err, format.List(o.saved, "and"))
}

// SyncWriter returns a writer for concurrent use by a bar and messages. Files support that
// themselves.
func SyncWriter(w io.Writer) io.Writer {
	if _, is := w.(*os.File); is {
		return w
	}
	return &syncWriter{w: w}
}

type syncWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *syncWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}

// Message writes a message to Stderr.
func (o *Output) Message(message string, arguments ...any) {
	printMessage(o.Stderr, format.EscapeLines(fmt.Sprintf(message, arguments...)))
}

// Once writes a message, unless it has written it before.
func (o *Output) Once(message string) {
	if !slices.Contains(o.once, message) {
		o.once = append(o.once, message)
		o.Message("%s", message)
	}
}

// printMessage writes a message. On a terminal it wraps the message and replaces the line of a bar.
// Logs and scripts get one line per message.
func printMessage(w io.Writer, text string) {
	if isTerminal(w) {
		text = format.Wrap(text, Width(w), len(blockMargin))
		if os.Getenv("TERM") != "dumb" {
			text = clearLine + text
		}
	}
	fmt.Fprintln(w, text)
}

// IsTerminal reports whether the result goes to a terminal.
func (o *Output) IsTerminal() bool { return isTerminal(o.Stdout.W) }

// Drawing returns a drawing for the result, in color if the result goes to a color terminal. Its
// escape sequences are printed.
func (o *Output) Drawing(draw func(color bool) string) string {
	color := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	drawing := draw(color && isTerminal(o.Stdout.W))
	o.Stdout.Keep(drawing)
	return drawing
}

// SafeWriter escapes control characters, because the output contains text from data. It keeps the
// escape sequences of drawings. It stores the first error, so that callers need not check each
// write.
type SafeWriter struct {
	W   io.Writer
	Err error
	// Raw turns the escaping off, for data in a format of their own.
	Raw       bool
	hasOutput bool
	drawings  []string
	held      *bytes.Buffer // of a result, which is wrapped as a whole; nil otherwise
	wraps     bool
}

// Keep makes the writer print a text as it is, without escaping or wrapping.
func (c *SafeWriter) Keep(text string) { c.drawings = append(c.drawings, text) }

func (c *SafeWriter) hold() { c.held = &bytes.Buffer{} }

// release writes what was held, with long lines wrapped.
func (c *SafeWriter) release() {
	held := c.held.Bytes()
	c.held, c.wraps = nil, true
	_, _ = c.Write(held) // the error is stored
	c.wraps = false
}

// Width returns the width of the terminal, or 80 columns for other outputs.
func (c *SafeWriter) Width() int { return Width(c.W) }

func (c *SafeWriter) Write(p []byte) (int, error) {
	switch {
	case c.Err != nil:
		return 0, c.Err
	case c.held != nil:
		return c.held.Write(p)
	}
	text := string(p)
	if !c.Raw {
		text = c.escape(text)
	}
	n, err := io.WriteString(c.W, text)
	c.hasOutput = c.hasOutput || n > 0
	if err != nil {
		reason := err
		if path, is := errors.AsType[*os.PathError](err); is {
			reason = path.Err
		}
		c.Err = fmt.Errorf("cannot print the result: %w", reason)
		return 0, err
	}
	return len(p), nil
}

func (c *SafeWriter) escape(text string) string {
	for _, drawing := range c.drawings {
		if before, after, found := strings.Cut(text, drawing); found {
			return c.escape(before) + drawing + c.escape(after)
		}
	}
	text = format.EscapeLines(text)
	if c.wraps {
		text = format.Wrap(text, c.Width(), len(blockMargin))
	}
	return text
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
