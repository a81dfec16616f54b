package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

type checkCommand struct {
	Notebooks []string `arg:"" help:"The notebooks."`
}

// Run reports each notebook whose outputs belong to other code than its cells have.
// A notebook without outputs passes.
func (c checkCommand) Run(out io.Writer) error {
	outdated := false
	for _, path := range c.Notebooks {
		n, err := readNotebook(path)
		if err != nil {
			return fmt.Errorf("read notebook %s: %w", path, err)
		}
		if n.hasOutputs() && n.Metadata.Outputs.Code != n.digest() {
			outdated = true
			fmt.Fprintf(out, "%s: outputs belong to other code; "+
				"run python3 kernels/execute.py --write %[1]s\n", path)
		}
	}
	if outdated {
		return errFailed
	}
	return nil
}

// notebook holds the parts of a Jupyter notebook that check needs.
type notebook struct {
	Cells    []cell `json:"cells"`
	Format   int    `json:"nbformat"`
	Metadata struct {
		Outputs struct {
			// Code is the digest of the code that produced the outputs.
			Code string `json:"code"`
		} `json:"autoblm"`
	} `json:"metadata"`
}

type cell struct {
	Type    string            `json:"cell_type"`
	Source  source            `json:"source"`
	Outputs []json.RawMessage `json:"outputs"`
	Count   *int              `json:"execution_count"`
}

// source is the text of a cell. Notebooks store a text or a list of its lines.
type source string

func (s *source) UnmarshalJSON(content []byte) error {
	var lines []string
	if err := json.Unmarshal(content, &lines); err == nil {
		*s = source(strings.Join(lines, ""))
		return nil
	}
	return json.Unmarshal(content, (*string)(s))
}

func readNotebook(path string) (notebook, error) {
	var n notebook
	content, err := os.ReadFile(path)
	if err != nil {
		return n, err
	}
	if err := json.Unmarshal(content, &n); err != nil {
		return n, err
	}
	if n.Format != 4 {
		return n, fmt.Errorf("notebook format is %d, want 4; save it with Jupyter", n.Format)
	}
	return n, nil
}

func (n notebook) hasOutputs() bool {
	for _, c := range n.Cells {
		if c.Type == "code" && (len(c.Outputs) > 0 || c.Count != nil) {
			return true
		}
	}
	return false
}

// digest returns the digest of the code cells; execute.py computes the same.
func (n notebook) digest() string {
	code := sha256.New()
	for _, c := range n.Cells {
		if c.Type == "code" && strings.TrimSpace(string(c.Source)) != "" {
			fmt.Fprintf(code, "%d\n%s", len(c.Source), c.Source)
		}
	}
	return hex.EncodeToString(code.Sum(nil))
}
