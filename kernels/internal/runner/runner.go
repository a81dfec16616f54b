package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/kernels/internal/kernelspec"
	"github.com/autoblm/autoblm-go/kernels/internal/notebook"
	"github.com/autoblm/autoblm-go/kernels/internal/session"
)

// Settings say how a notebook is executed.
type Settings struct {
	// Folder is the working folder of the cells; "" is that of this program.
	Folder string
	// Variables are environment variables for the kernel and its cells.
	Variables map[string]string
	// CellLimit is how long one cell may take; 0 stands for any time.
	CellLimit time.Duration
	// OutputLimit is how many bytes one cell may put out; 0 stands for 16 MiB,
	// more than a browser shows with ease.
	OutputLimit int
}

const defaultOutputLimit = 16 << 20

// settle is how long nothing must have come for the outputs to be complete.
const settle = 100 * time.Millisecond

// Outcome is what became of a notebook.
type Outcome struct {
	Cells   []Cell   // those that were executed, the one that failed included
	Failure *Failure // nil when none failed
}

// Cell is an executed cell.
type Cell struct {
	Number  int // from 1, in the notebook
	Seconds float64
}

// Failure is why a notebook failed.
type Failure struct {
	Cell   int    // its number, from 1, in the notebook
	Count  int    // the number that Jupyter shows beside it, 0 when there is none
	Reason string // in one line
	Detail string // in several, or empty
}

// Run executes the cells of a notebook in order until one fails, and puts their
// outputs into the notebook. The error says why no cell could be executed, or
// is the cause of the context when it is done and has no [TimeLimit] as its cause.
func Run(ctx context.Context, n *notebook.Notebook, spec kernelspec.Spec, s Settings) (Outcome, error) {
	if s.OutputLimit == 0 {
		s.OutputLimit = defaultOutputLimit
	}
	kernel, err := session.Start(ctx, spec, s.Folder, s.Variables)
	if err != nil {
		return Outcome{}, err
	}
	r := run{settings: s, kernel: kernel, notebook: n}
	err = r.cells(ctx)
	return r.outcome, errors.Join(err, kernel.Close(), r.keep())
}

// TimeLimit is the cause of a context that allowed only so much time.
type TimeLimit struct {
	What  string // the cell, or the run
	Limit time.Duration
}

func (e TimeLimit) Error() string {
	return fmt.Sprintf("%s takes longer than %v", e.What, e.Limit)
}

// run is one execution of a notebook.
type run struct {
	settings Settings
	kernel   *session.Kernel
	notebook *notebook.Notebook
	sheets   []*sheet // of the executed cells
	outcome  Outcome
}

// sheet is where the outputs of a cell are collected.
type sheet struct {
	cell    *notebook.Cell
	count   int
	outputs []*output
	size    int
}

// cells executes the cells.
func (r *run) cells(ctx context.Context) error {
	for i, cell := range r.notebook.Cells {
		if !cell.IsCode() {
			continue
		}
		began := time.Now()
		failure, err := r.cell(ctx, cell)
		if err != nil {
			return err
		}
		r.outcome.Cells = append(r.outcome.Cells, Cell{i + 1, time.Since(began).Seconds()})
		if failure != nil {
			failure.Cell = i + 1
			r.outcome.Failure = failure
			return nil
		}
	}
	return r.kernel.Settle(ctx, settle)
}

// cell executes one cell.
func (r *run) cell(ctx context.Context, cell *notebook.Cell) (*Failure, error) {
	if r.settings.CellLimit > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeoutCause(ctx, r.settings.CellLimit, TimeLimit{"the cell", r.settings.CellLimit})
		defer cancel()
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	sh := &sheet{cell: cell}
	r.sheets = append(r.sheets, sh)
	var err error
	sh.count, err = r.kernel.Execute(ctx, cell.Source(), r.taker(sh, stop))
	if err == nil {
		return sh.verdict(), nil
	}
	var late TimeLimit
	if ctx.Err() != nil && !errors.As(err, &late) && !errors.Is(err, errMuch) {
		return nil, err // somebody else wants it to end
	}
	failure := &Failure{Count: sh.count, Reason: firstLine(err.Error())}
	switch {
	case ctx.Err() == nil:
		failure.Detail = afterFirstLine(err.Error()) // the kernel's last words
	case !errors.Is(err, errMuch):
		failure.Detail = sh.lastWords()
	}
	return failure, nil
}

// keep puts the collected outputs into the notebook. Cells that were not
// executed have none.
func (r *run) keep() error {
	r.notebook.Strip()
	for _, sh := range r.sheets {
		outputs := make([]notebook.Output, len(sh.outputs))
		for i, o := range sh.outputs {
			outputs[i] = o.finished()
		}
		if err := sh.cell.SetOutputs(outputs, sh.count); err != nil {
			return err
		}
	}
	return nil
}
