package record

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/outfile"
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

// Setup is what something was measured by.
type Setup struct {
	// Command is as a shell takes it, and Program the version of the program where the build
	// does not tell.
	Command, Program string
	// Threads is how many were used, 0 for GOMAXPROCS; Engine and Backend did the
	// arithmetic, "" where that is not told.
	Threads         int
	Engine, Backend string
}

// New is a document of today, on this machine.
func New[Result any](ctx context.Context, by Setup, r Result) Document[Result] {
	backend := ""
	if by.Engine == "gomlx" {
		backend = by.Backend
	}
	var gpus []probe.GPU
	if probe.IsCUDA(backend) {
		gpus = probe.This().GPUs(ctx)
	}
	machine := fmt.Sprintf("%s, %d of them used", Machine(gpus), cmp.Or(by.Threads, runtime.GOMAXPROCS(0)))
	if by.Engine != "" {
		machine += fmt.Sprintf(", engine %s on %s", by.Engine, HidePaths(by.Backend))
	}
	versions := Versions(ctx, backend, gpus)
	versions["autoblm"] = cmp.Or(versions["autoblm"], by.Program, "(devel)")
	return Document[Result]{Command: HidePaths(by.Command), Date: time.Now().Format(time.DateOnly), Machine: machine, Versions: versions, Result: r}
}

var threads = regexp.MustCompile(`(\d+) of them used`)

// Threads is how many were used, as the machine says it, 0 where it does not.
func (d Document[Result]) Threads() int {
	n := 0
	if found := threads.FindStringSubmatch(d.Machine); found != nil {
		n, _ = strconv.Atoi(found[1])
	}
	return n
}

// Write writes the document, whole or not at all.
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
