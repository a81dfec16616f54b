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

// screen is where values are shown: a notebook, or a writer of text.
type screen struct {
	notebook bool
	// interactive is true if a person runs the notebook: execute.py sets AUTOBLM_HEADLESS.
	interactive bool
	send        func(*protocol.DisplayData)
	sync        func() // waits until everything sent has arrived
	text        io.Writer
	problems    io.Writer
	exit        func(status int)
}

var here = screen{
	notebook:    gonbui.IsNotebook,
	interactive: gonbui.IsNotebook && os.Getenv("AUTOBLM_HEADLESS") == "",
	send:        gonbui.SendData,
	sync:        gonbui.Sync,
	text:        os.Stdout,
	problems:    os.Stderr,
	exit:        os.Exit,
}

// value holds the formats of an output. Jupyter shows the richest one that it supports.
type value struct {
	text     string // ends with a newline
	markdown string
	html     string
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
		Data: map[protocol.MIMEType]any{
			protocol.MIMETextPlain: strings.TrimSuffix(v.text, "\n"),
		},
		Metadata:  map[string]any{},
		DisplayID: v.id,
	}
	if v.markdown != "" {
		data.Data[protocol.MIMETextMarkdown] = v.markdown
	}
	if v.html != "" {
		data.Data[protocol.MIMETextHTML] = v.html
	}
	if v.png != nil {
		data.Data[protocol.MIMEImagePNG] = v.png
		// Without a height, the picture keeps its proportions on a narrower page.
		data.Metadata[string(protocol.MIMEImagePNG)] = map[string]int{"width": v.width}
	}
	s.send(data)
	s.sync()
}

// uniqueID returns an id for an element of the notebook.
func uniqueID() string { return "show-" + gonbui.UniqueId() }

// check ends the program if err is not nil.
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

// Check ends the cell with the message of an error, unless it is nil.
func Check(err error) { here.check(err) }

// Must returns the value, or ends the cell like [Check].
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// fullSize is the environment variable for the full size of notebooks.
const fullSize = "AUTOBLM_FULL"

// Full reports whether notebooks run in full size, which may take hours: AUTOBLM_FULL is 1.
// Otherwise each takes at most a few minutes.
func Full() bool { return os.Getenv(fullSize) == "1" }
