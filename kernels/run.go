package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/kernels/internal/install"
	"github.com/autoblm/autoblm-go/kernels/internal/kernelspec"
	"github.com/autoblm/autoblm-go/kernels/internal/notebook"
	"github.com/autoblm/autoblm-go/kernels/internal/runner"
)

type runCommand struct {
	Kernel  string        `help:"The kernel: cpu or cuda, or the name of any other; by itself cpu, and cuda for a backend of XLA, which cells of cpu lack." placeholder:"NAME"`
	Backend string        `help:"What GoMLX runs on in cells, as xla:cpu, in place of what the kernel says (autoblm backend list)." placeholder:"NAME" env:"AUTOBLM_BACKEND"`
	Timeout time.Duration `help:"How long a cell may take; 0 is any time." default:"5m"`
	Total   time.Duration `help:"How long all notebooks together may take; 0 is any time." default:"1h"`
	Full    bool          `help:"Run notebooks in their full size, which can take hours (AUTOBLM_FULL=1)."`
	Out     string        `help:"Write the executed notebooks into this folder." type:"path" placeholder:"DIR"`
	Write   bool          `help:"Put the outputs into the notebooks themselves, and note what code they are of. Of a notebook that fails nothing is changed."`

	Notebooks []string `arg:"" help:"The notebooks."`
}

func (c runCommand) Run(ctx context.Context, out io.Writer, where places) error {
	if err := backend.Check(c.Backend); err != nil {
		return err
	}
	if c.Write && c.Full {
		return errors.New("notebooks keep the outputs of their quick mode: leave out --full, or give --out in place of --write")
	}
	spec, err := c.spec(where)
	if err != nil {
		return err
	}
	if err := c.outputFolder(); err != nil {
		return err
	}
	if c.Total > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeoutCause(ctx, c.Total, runner.TimeLimit{What: "the run", Limit: c.Total})
		defer cancel()
	}
	bad := 0
	for i, path := range c.Notebooks {
		good, err := c.one(ctx, out, spec, path)
		if err != nil {
			fmt.Fprintf(out, "FAILED %s: %v\n", path, err)
		}
		if !good {
			bad++
		}
		if left := len(c.Notebooks) - i - 1; ctx.Err() != nil && left > 0 {
			fmt.Fprintf(out, "%d more were not run: %v\n", left, context.Cause(ctx))
			bad += left
			break
		}
	}
	if bad > 0 {
		fmt.Fprintf(out, "%d of %d notebooks failed\n", bad, len(c.Notebooks))
		return errFailed
	}
	return nil
}

// outputFolder makes the folder for executed notebooks and sees that each finds
// a place there.
func (c runCommand) outputFolder() error {
	if c.Out == "" {
		return nil
	}
	taken := map[string]string{}
	for _, path := range c.Notebooks {
		name := filepath.Base(path)
		if other, is := taken[name]; is {
			return fmt.Errorf("%s and %s would be written to the same file: run them one after the other, with another --out each", other, path)
		}
		taken[name] = path
	}
	return os.MkdirAll(c.Out, 0o755)
}

// spec is the spec of the kernel that was asked for.
func (c runCommand) spec(where places) (kernelspec.Spec, error) {
	name := cmp.Or(c.Kernel, "cpu")
	if c.Kernel == "" && strings.HasPrefix(c.Backend, "xla") {
		name = "cuda"
	}
	if name == "cpu" || name == "cuda" {
		name = "autoblm-" + name
	}
	spec, err := kernelspec.Find(name, kernelspec.Folders(where.jupyter))
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%w: install it with: %s install", err, install.Command())
	}
	return spec, err
}

// one executes one notebook and says whether all is well.
func (c runCommand) one(ctx context.Context, out io.Writer, spec kernelspec.Spec, path string) (bool, error) {
	n, err := notebook.Read(path)
	if err != nil {
		return false, err
	}
	s := runner.Settings{
		Folder:    filepath.Dir(path),
		CellLimit: c.Timeout,
		Variables: map[string]string{"AUTOBLM_HEADLESS": "1"},
	}
	if c.Backend != "" {
		s.Variables[backend.Variable] = c.Backend
		if paths := os.Getenv(probe.PluginPaths); paths != "" { // which need not be those of the installation
			s.Variables[probe.PluginPaths] = paths
		}
	}
	if c.Full {
		s.Variables["AUTOBLM_FULL"] = "1"
	}
	began := time.Now()
	outcome, err := runner.Run(ctx, n, spec, s)
	if err == nil && c.Out != "" {
		n.GiveIDs()
		err = n.Write(filepath.Join(c.Out, filepath.Base(path)))
	}
	if err != nil {
		return false, err
	}
	if f := outcome.Failure; f != nil {
		fmt.Fprintf(out, "FAILED %s, %s: %s\n", path, place(f), f.Reason)
		if f.Detail != "" && f.Detail != f.Reason {
			fmt.Fprintln(out, indented(f.Detail))
		}
		return false, nil
	}
	if c.Write {
		n.GiveIDs()
		if err := errors.Join(n.Stamp(), n.Write(path)); err != nil {
			return false, err
		}
	}
	fmt.Fprintf(out, "ok     %s: %s\n", path, summary(outcome, time.Since(began)))
	return true, nil
}

// place says which cell failed.
func place(f *runner.Failure) string {
	if f.Count == 0 {
		return fmt.Sprintf("cell %d", f.Cell)
	}
	return fmt.Sprintf("cell %d (In [%d])", f.Cell, f.Count)
}

// summary says how long it took, and where most of the time went.
func summary(o runner.Outcome, took time.Duration) string {
	text := fmt.Sprintf("%d cells of code in %.1f s", len(o.Cells), took.Seconds())
	var slowest runner.Cell
	for _, cell := range o.Cells {
		if cell.Seconds > slowest.Seconds {
			slowest = cell
		}
	}
	if len(o.Cells) > 1 {
		text += fmt.Sprintf(", of which cell %d took %.1f s", slowest.Number, slowest.Seconds)
	}
	return text
}

func indented(text string) string {
	return "    | " + strings.ReplaceAll(text, "\n", "\n    | ")
}
