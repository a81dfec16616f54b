package kernelspec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
)

// ConnectionFile is the argument that stands for the file that tells the kernel
// where to listen.
const ConnectionFile = "{connection_file}"

// InterruptByMessage is the InterruptMode of kernels that want a message; others
// want a signal.
const InterruptByMessage = "message"

// Spec says how a kernel is started.
type Spec struct {
	Argv          []string          `json:"argv"`
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	InterruptMode string            `json:"interrupt_mode,omitempty"`
	Env           map[string]string `json:"env,omitempty"`
	Metadata      map[string]any    `json:"metadata,omitempty"`
}

// File is where the spec of a kernel lies in a folder of Jupyter's data.
func File(folder, name string) string {
	return filepath.Join(folder, "kernels", name, "kernel.json")
}

// Read reads a spec from its file.
func Read(path string) (Spec, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return Spec{}, err
	}
	var s Spec
	if err := json.Unmarshal(content, &s); err != nil {
		return Spec{}, fmt.Errorf("%s: %w", path, err)
	}
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return Spec{}, fmt.Errorf("%s: it has no argv, the command that starts the kernel", path)
	}
	return s, nil
}

// Write writes a spec to its file, in a folder that exists.
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

// Find reads the first spec of that name in the folders. Where there is none,
// the error is an [fs.ErrNotExist].
func Find(name string, folders []string) (Spec, error) {
	for _, folder := range folders {
		s, err := Read(File(folder, name))
		if !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
	}
	return Spec{}, fmt.Errorf("there is no kernel %s in %q: %w", name, folders, fs.ErrNotExist)
}
