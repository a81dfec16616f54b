package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/kernels/internal/install"
	"github.com/autoblm/autoblm-go/kernels/internal/kernelspec"
	"github.com/autoblm/autoblm-go/kernels/internal/notebook"
	"github.com/autoblm/autoblm-go/kernels/internal/runner"
)

// kernel sees whether cells of a kernel build without a network and run. What
// keeps only the CUDA kernel from working is a note.
func (p Patient) kernel(ctx context.Context, v install.Variant, spec kernelspec.Spec) []Finding {
	worst := bad
	if v.NeedsC {
		worst = note
	}
	t, err := install.FindToolchain(ctx, spec.Env)
	if err != nil {
		return []Finding{worst(v.Title, "it finds no Go: "+err.Error(), "install Go from https://go.dev/dl, and "+reinstall)}
	}
	var findings []Finding
	if v.NeedsC {
		findings = cuda(ctx, v, spec)
		if !t.HasC() {
			return append(findings, note(v.Title, fmt.Sprintf("its cells need a C compiler, and there is no %s", t.Compiler),
				"install one (sudo apt install gcc), and "+reinstall))
		}
	}
	began := time.Now()
	if err := install.BuildCell(ctx, p.Home, t, spec.Env); err != nil {
		return append(findings, worst(v.Title, "cells do not build without a network: "+err.Error(), reinstall))
	}
	if err := answer(ctx, spec); err != nil {
		return append(findings, worst(v.Title, err.Error(), reinstall))
	}
	return append(findings, good(v.Title, fmt.Sprintf("cells build without a network and run, with %s (%.1f s)", strings.Replace(t.Version, "go", "Go ", 1), time.Since(began).Seconds())))
}

// answer sees whether a kernel executes a cell.
func answer(ctx context.Context, spec kernelspec.Spec) error {
	n, err := notebook.Parse([]byte(`{"nbformat":4,"cells":[{"cell_type":"code","source":"%%\nfmt.Println(1)"}]}`))
	if err != nil {
		return err
	}
	outcome, err := runner.Run(ctx, n, spec, runner.Settings{CellLimit: time.Minute})
	if err == nil && outcome.Failure != nil {
		err = fmt.Errorf("a cell fails: %s", outcome.Failure.Reason)
	}
	return err
}

// cuda sees what XLA needs for CUDA.
func cuda(ctx context.Context, v install.Variant, spec kernelspec.Spec) []Finding {
	machine := probe.This()
	machine.Env = func(name string) (string, bool) {
		if value, set := spec.Env[name]; set {
			return value, true
		}
		return os.LookupEnv(name)
	}
	var findings []Finding
	if problem := machine.NoGPU(ctx); problem != nil {
		findings = append(findings, note(v.Title, problem.Why, "use the CPU kernel, or: "+problem.Mend))
	}
	return append(findings, cudaPlugin(machine, v, spec))
}

// cudaPlugin sees whether GoMLX finds its plugin in a kernel.
func cudaPlugin(machine probe.Machine, v install.Variant, spec kernelspec.Spec) Finding {
	var plugin, jax probe.Plugin
	if file := strings.TrimPrefix(spec.Env["GOMLX_BACKEND"], "xla:"); filepath.IsAbs(file) {
		plugin = machine.PluginAt(file)
	} else {
		for _, p := range machine.Plugins() {
			switch {
			case p.CUDA() && p.Jax && jax.Path == "":
				jax = p
			case p.CUDA() && !p.Jax && plugin.Path == "":
				plugin = p
			}
		}
	}
	switch {
	case plugin.Problem != nil:
		return note(v.Title, plugin.Problem.Why, "run: autoblm backend install cuda, and "+reinstall)
	case plugin.Path != "":
		return good(v.Title, "plugin "+plugin.Path)
	case jax.Path != "":
		return note(v.Title, "there is a CUDA plugin of Jax, which GoMLX does not find by itself", reinstall+" --cuda-plugin "+jax.Path)
	}
	return note(v.Title, "there is no CUDA plugin for XLA", "run: autoblm backend install cuda")
}
