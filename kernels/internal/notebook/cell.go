package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Cell is one cell of a notebook.
type Cell struct {
	fields fields
	kind   string
	source string
}

func newCell(f fields) (*Cell, error) {
	c := &Cell{fields: f}
	if err := json.Unmarshal(f["cell_type"], &c.kind); err != nil || c.kind == "" {
		return nil, errors.New("it has no text cell_type")
	}
	source, err := joined(f["source"])
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	c.source = source
	return c, nil
}

// IsCode says whether the cell is to be executed: one of code that is not empty.
func (c *Cell) IsCode() bool { return c.kind == "code" && strings.TrimSpace(c.source) != "" }

// Source is the text of the cell.
func (c *Cell) Source() string { return c.source }

// SetOutputs replaces what the cell shows. A count of 0 stands for a cell that
// was not executed.
func (c *Cell) SetOutputs(outputs []Output, count int) error {
	list := json.RawMessage("[]")
	if len(outputs) > 0 {
		var err error
		if list, err = encode(outputs); err != nil {
			return err
		}
	}
	c.fields["outputs"] = list
	c.fields["execution_count"] = json.RawMessage("null")
	if count > 0 {
		c.fields["execution_count"] = json.RawMessage(fmt.Sprint(count))
	}
	return nil
}

// isExecuted says whether a cell of code has outputs or a count.
func (c *Cell) isExecuted() bool {
	var outputs []json.RawMessage
	bad := json.Unmarshal(c.fields["outputs"], &outputs)
	return bad != nil || len(outputs) > 0 || !bytes.Equal(c.fields["execution_count"], []byte("null"))
}

// joined is a text that may be written as a list of its lines.
func joined(value json.RawMessage) (string, error) {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text, nil
	}
	var lines []string
	if err := json.Unmarshal(value, &lines); err != nil {
		return "", errors.New("it must be a text or a list of lines")
	}
	return strings.Join(lines, ""), nil
}

// split is the list of lines of a text, each with its newline.
func split(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	return lines
}
