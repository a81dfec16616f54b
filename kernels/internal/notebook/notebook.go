package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
)

// fields are the members of a JSON object, each as it was written.
type fields map[string]json.RawMessage

// Notebook is a list of cells and what else its file says.
type Notebook struct {
	Cells []*Cell
	rest  fields
}

// Read reads a notebook from a file.
func Read(path string) (*Notebook, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n, err := Parse(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// Parse reads a notebook.
func Parse(content []byte) (*Notebook, error) {
	n := &Notebook{}
	if err := json.Unmarshal(content, &n.rest); err != nil {
		return nil, notJSON(content, err)
	}
	var format int
	if err := json.Unmarshal(n.rest["nbformat"], &format); err != nil {
		return nil, errors.New("not a notebook: it has no number nbformat")
	}
	if format != 4 {
		return nil, fmt.Errorf("it has notebook format %d, and only 4 is read: open and save it in Jupyter", format)
	}
	var cells []fields
	if err := json.Unmarshal(n.rest["cells"], &cells); err != nil || cells == nil {
		return nil, errors.New("not a notebook: it has no list cells")
	}
	delete(n.rest, "cells")
	for i, f := range cells {
		cell, err := newCell(f)
		if err != nil {
			return nil, fmt.Errorf("cell %d: %w", i+1, err)
		}
		n.Cells = append(n.Cells, cell)
	}
	return n, nil
}

func notJSON(content []byte, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line := 1 + bytes.Count(content[:min(int(syntax.Offset), len(content))], []byte("\n"))
		return fmt.Errorf("not a notebook: line %d: %w", line, err)
	}
	return errors.New("not a notebook: it is no JSON object")
}

// Bytes is the content of the notebook's file, laid out as Jupyter does it.
func (n *Notebook) Bytes() ([]byte, error) {
	all := fields{"cells": json.RawMessage("[]")}
	for name, value := range n.rest {
		all[name] = value
	}
	if len(n.Cells) > 0 {
		cells := make([]fields, len(n.Cells))
		for i, c := range n.Cells {
			cells[i] = c.fields
		}
		var err error
		if all["cells"], err = encode(cells); err != nil {
			return nil, err
		}
	}
	compact, err := encode(all)
	if err != nil {
		return nil, err
	}
	var laidOut bytes.Buffer
	if err := json.Indent(&laidOut, compact, "", " "); err != nil {
		return nil, err
	}
	return laidOut.Bytes(), nil // encode has ended it with a newline, which Indent keeps
}

// Write writes the notebook to a file, whole or not at all.
func (n *Notebook) Write(path string) error {
	content, err := n.Bytes()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.Write(path, content)
}

// encode is JSON in which < and & stay what they are.
func encode(value any) (json.RawMessage, error) {
	var encoded bytes.Buffer
	e := json.NewEncoder(&encoded)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return encoded.Bytes(), nil
}
