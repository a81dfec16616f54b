package measured

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/autoblm/autoblm-go/internal/wholefile"
)

// Document is a file with a result.
type Document[Result any] struct {
	Command string `json:"command"`
	// Date is the day of the measurement, as 2006-01-02.
	Date string `json:"date"`
	// Machine and Versions say where and with what; see the functions of these names.
	Machine  string            `json:"machine"`
	Versions map[string]string `json:"versions"`
	Result   Result            `json:"result"`
}

// Write writes the document, whole or not at all.
func (d Document[Result]) Write(path string) error {
	text, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		return err
	}
	return wholefile.Write(path, append(text, '\n'))
}

// Read reads a document.
func Read[Result any](path string) (Document[Result], error) {
	var d Document[Result]
	text, err := os.ReadFile(path)
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return d, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}
