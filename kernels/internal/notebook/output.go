package notebook

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The types of outputs.
const (
	Stream  = "stream"
	Display = "display_data"
	Result  = "execute_result"
	Failure = "error"
)

// Output is one output of a cell. Which fields count depends on its type.
type Output struct {
	Type string

	// Of a stream: stdout or stderr, and what was written there.
	Name, Text string

	// Of a display or a result: the same thing in several media types. A value
	// is a text, or any JSON for the types that are JSON.
	Data     map[string]json.RawMessage
	Metadata map[string]json.RawMessage
	// Count is the number of the execution that a result belongs to.
	Count int

	// Of an error.
	ErrorName, ErrorValue string
	Traceback             []string
}

// MarshalJSON writes the output as the format has it.
func (o Output) MarshalJSON() ([]byte, error) {
	members := map[string]any{"output_type": o.Type}
	switch o.Type {
	case Stream:
		members["name"], members["text"] = o.Name, split(o.Text)
	case Display, Result:
		data := map[string]any{}
		for kind, value := range o.Data {
			data[kind] = inLines(kind, value)
		}
		members["data"], members["metadata"] = data, map[string]json.RawMessage{}
		if o.Metadata != nil {
			members["metadata"] = o.Metadata
		}
		if o.Type == Result {
			members["execution_count"] = o.Count
		}
	case Failure:
		members["ename"], members["evalue"], members["traceback"] = o.ErrorName, o.ErrorValue, o.Traceback
		if o.Traceback == nil {
			members["traceback"] = []string{}
		}
	default:
		return nil, fmt.Errorf("an output of the unknown type %q", o.Type)
	}
	return encode(members)
}

// inLines is a text as the list of its lines, as Jupyter saves them; pictures
// and JSON stay whole.
func inLines(kind string, value json.RawMessage) any {
	var text string
	isText := strings.HasPrefix(kind, "text/") || kind == "image/svg+xml" || kind == "application/javascript"
	if !isText || json.Unmarshal(value, &text) != nil {
		return value
	}
	return split(text)
}
