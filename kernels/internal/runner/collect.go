package runner

import (
	"encoding/json"
	"errors"

	"github.com/autoblm/autoblm-go/kernels/internal/notebook"
	"github.com/autoblm/autoblm-go/kernels/internal/wire"
)

// errMuch is why a cell that puts out too much is stopped.
var errMuch = errors.New("the cell puts out more than a notebook can hold")

// output is an output that can still change.
type output struct {
	notebook.Output
	text     []byte   // of a stream, as far as it is known
	messages []string // of standard error, message by message
	display  string   // the id that updates go to, or empty
}

func (o *output) finished() notebook.Output {
	done := o.Output
	done.Text = string(o.text)
	return done
}

// content is that of all messages that are outputs.
type content struct {
	Name           string
	Text           string
	Data, Metadata map[string]json.RawMessage
	Transient      struct {
		Display string `json:"display_id"`
	}
	Count     int      `json:"execution_count"`
	ErrorName string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
}

// taker takes the outputs of a cell and stops it when they are too many.
func (r *run) taker(sh *sheet, stop func(error)) func(wire.Message) {
	return func(m wire.Message) {
		if !isOutput(m.Header.Type) {
			return
		}
		sh.size += len(m.Content)
		if sh.size > r.settings.OutputLimit {
			stop(errMuch)
			return
		}
		var c content
		if err := m.Decode(&c); err != nil {
			stop(err)
			return
		}
		r.take(sh, m.Header.Type, c)
	}
}

const update = "update_display_data"

func isOutput(kind string) bool {
	switch kind {
	case notebook.Stream, notebook.Display, notebook.Result, notebook.Failure, update:
		return true
	}
	return false
}

func (r *run) take(sh *sheet, kind string, c content) {
	switch kind {
	case update:
		r.update(c)
		return
	case notebook.Stream:
		sh.stream(c)
		return
	}
	sh.outputs = append(sh.outputs, &output{
		Output: notebook.Output{
			Type: kind, Data: c.Data, Metadata: c.Metadata, Count: c.Count,
			ErrorName: c.ErrorName, ErrorValue: c.Value, Traceback: c.Traceback,
		},
		display: c.Transient.Display,
	})
}

// update changes a display wherever in the notebook it stands.
func (r *run) update(c content) {
	for _, sh := range r.sheets {
		for _, o := range sh.outputs {
			if o.display == c.Transient.Display {
				o.Data, o.Metadata = c.Data, c.Metadata
			}
		}
	}
}

// stream adds to the last output where that is the same stream.
func (sh *sheet) stream(c content) {
	var last *output
	if len(sh.outputs) > 0 {
		last = sh.outputs[len(sh.outputs)-1]
	}
	if last == nil || last.Type != notebook.Stream || last.Name != c.Name {
		last = &output{Output: notebook.Output{Type: notebook.Stream, Name: c.Name}}
		sh.outputs = append(sh.outputs, last)
	}
	last.text = append(last.text, c.Text...)
	if c.Name == "stderr" {
		last.messages = append(last.messages, c.Text)
	}
}
