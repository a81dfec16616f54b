package record

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/outfile"
)

// Document is the content of a file with a result.
type Document[Result any] struct {
	Command string `json:"command"`
	// Date is the day of the measurement, such as 2006-01-02.
	Date string `json:"date"`
	// Machine and Versions are the results of the functions of these names.
	Machine  string            `json:"machine"`
	Versions map[string]string `json:"versions"`
	Result   Result            `json:"result"`
}

// Setup describes how a result was measured.
type Setup struct {
	// Command is quoted for a shell. Program is the version of the program if the build has none.
	Command, Program string
	// Threads is the number of threads used; 0 means GOMAXPROCS.
	Threads int
	// Engine and Backend did the arithmetic; they may be empty.
	Engine, Backend string
}

// New returns a document with the current date and machine.
func New[Result any](ctx context.Context, s Setup, r Result) Document[Result] {
	backend := ""
	if s.Engine == "gomlx" {
		backend = s.Backend
	}
	var gpus []probe.GPU
	if probe.IsCUDA(backend) {
		gpus = probe.This().GPUs(ctx)
	}
	threads := cmp.Or(s.Threads, runtime.GOMAXPROCS(0))
	machine := fmt.Sprintf("%s, %d of them used", Machine(gpus), threads)
	if s.Engine != "" {
		machine += fmt.Sprintf(", engine %s on %s", s.Engine, HidePaths(s.Backend))
	}
	versions := Versions(ctx, backend, gpus)
	versions["autoblm"] = cmp.Or(versions["autoblm"], s.Program, "(devel)")
	return Document[Result]{
		Command: HidePaths(s.Command), Date: time.Now().Format(time.DateOnly), Machine: machine,
		Versions: versions, Result: r,
	}
}

// Write writes the document atomically.
func (d Document[Result]) Write(path string) error {
	text, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		return err
	}
	return outfile.Write(path, outfile.Record, append(text, '\n'))
}

// Read reads a document.
func Read[Result any](path string) (Document[Result], error) {
	var d Document[Result]
	text, err := inputfile.Read(path)
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return d, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}
