package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
)

// Spec describes a kernel to Jupyter.
// https://jupyter-client.readthedocs.io/en/stable/kernels.html
type Spec struct {
	Argv          []string          `json:"argv"`
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	InterruptMode string            `json:"interrupt_mode,omitempty"`
	Env           map[string]string `json:"env,omitempty"`
}

// ReadSpec reads a spec from a file.
func ReadSpec(path string) (Spec, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return Spec{}, err
	}
	var s Spec
	if err := json.Unmarshal(content, &s); err != nil {
		return Spec{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// Write writes the spec to a file in an existing folder.
func (s Spec) Write(path string) error {
	var content bytes.Buffer
	e := json.NewEncoder(&content)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(s); err != nil {
		return err
	}
	return atomicfile.Write(path, content.Bytes())
}
