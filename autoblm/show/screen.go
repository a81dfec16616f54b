package show

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// screen is where values show themselves: a notebook, or else a writer of text.
type screen struct {
	notebook bool
	send     func(*protocol.DisplayData)
	sync     func() // returns when everything sent has arrived
	text     io.Writer
	problems io.Writer
	exit     func(status int)
}

var here = screen{gonbui.IsNotebook, gonbui.SendData, gonbui.Sync, os.Stdout, os.Stderr, os.Exit}

// value is something to show in the forms that it has, of which Jupyter takes
// the richest that it can show.
type value struct {
	text     string // ends with a newline
	markdown string
	png      []byte
	width    int    // of the PNG on the screen, in CSS pixels
	id       string // of the output that it replaces, "" for a new one
}

func (s screen) show(v value) {
	v.text, v.markdown = format.EscapeLines(v.text), format.EscapeLines(v.markdown)
	if !s.notebook {
		fmt.Fprint(s.text, v.text)
		return
	}
	data := &protocol.DisplayData{
		Data:      map[protocol.MIMEType]any{protocol.MIMETextPlain: strings.TrimSuffix(v.text, "\n")},
		Metadata:  map[string]any{},
		DisplayID: v.id,
	}
	if v.markdown != "" {
		data.Data[protocol.MIMETextMarkdown] = v.markdown
	}
	if v.png != nil {
		data.Data[protocol.MIMEImagePNG] = v.png
		// The height follows, also where the page is narrower.
		data.Metadata[string(protocol.MIMEImagePNG)] = map[string]int{"width": v.width}
	}
	s.send(data)
	s.sync()
}

// check ends the program with an error, if it is one.
func (s screen) check(err error) {
	if err == nil {
		return
	}
	if s.notebook {
		s.sync()
	}
	fmt.Fprintln(s.problems, format.EscapeLines(err.Error()))
	s.exit(1)
}

// Check ends the cell with the error in one line, unless it is nil.
func Check(err error) { here.check(err) }

// Must is a value without its error, for which it does as [Check] does.
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// fullSize is the variable that asks for the full size of a notebook.
const fullSize = "AUTOBLM_FULL"

// Full says whether notebooks are to do all they can, which may take hours: the
// variable AUTOBLM_FULL is 1. Else each takes about a minute.
func Full() bool { return os.Getenv(fullSize) == "1" }
