package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

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
		findings = cuda(v, spec)
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
func cuda(v install.Variant, spec kernelspec.Spec) []Finding {
	var findings []Finding
	if devices, _ := filepath.Glob("/dev/nvidia[0-9]*"); len(devices) == 0 {
		findings = append(findings, note(v.Title, "there is no NVIDIA GPU here", "use the CPU kernel"))
	}
	if plugin := install.FindCUDAPlugin(spec.Env); plugin != "" {
		findings = append(findings, good(v.Title, "plugin "+plugin))
	} else {
		findings = append(findings, note(v.Title, "there is no CUDA plugin for XLA",
			"install Jax's (pip install 'jax[cuda12]'), find its xla_cuda_plugin.so, and "+reinstall+" --cuda-plugin FILE"))
	}
	return findings
}
