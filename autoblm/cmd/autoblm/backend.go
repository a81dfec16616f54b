package main

import (
	"context"
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
	"github.com/schollz/progressbar/v3"
)

type backendCommands struct {
	List    backendListCommand    `cmd:"" help:"List the backends of GoMLX on this machine, and what the native engine uses."`
	Install backendInstallCommand `cmd:"" help:"Download an XLA plugin into your home folder."`
}

type backendListCommand struct{}

// backendList is the JSON of backend list.
type backendList struct {
	// CPU describes the instructions that the native engine uses.
	CPU      cpu.Instructions  `json:"cpu"`
	Backends []backend.Backend `json:"backends"`
	// Precision is the value of AUTOBLM_PRECISION, or auto. PrecisionError says why the value is
	// invalid, or is "".
	Precision      kge.Precision `json:"precision"`
	PrecisionError string        `json:"precision_error"`
	// Chosen is the default of --backend; its backend is "" for the native engine.
	Chosen backend.Choice `json:"chosen"`
	// Error says why the backend in AUTOBLM_BACKEND or GOMLX_BACKEND is unusable, or is "".
	Error string `json:"error"`
}

// Run lists all backends and the defaults.
func (backendListCommand) Run(ctx context.Context, o *output) error {
	list := backendList{CPU: cpu.DetectInstructions(), Backends: backend.List(ctx)}
	var err error
	if list.Chosen, err = backend.Choose(backend.Auto); err != nil {
		list.Error = format.OneLine(err)
	}
	if list.Precision, err = kge.AutoPrecision.OrEnvironment(); err != nil {
		list.PrecisionError = format.OneLine(err)
	}
	return o.Result(list, list.print)
}

func (l backendList) print(w io.Writer) {
	t := table.New("backend", "usable", "runs on", "plugin", "version")
	for _, b := range l.Backends {
		t.Add(b.Name, b.Usable, b.Devices(), b.PluginText(), b.Versions())
	}
	t.Print(w)
	fmt.Fprintf(w, "\ncpu: %s\n", l.CPU)
	if l.CPU.Refused != "" {
		fmt.Fprintf(w, "cpu: %s\n", l.CPU.Refused)
	}
	for _, b := range l.Backends {
		if !b.Usable {
			fmt.Fprintf(w, "%s: %s\n    %s\n", b.Name, format.Escape(b.Reason), format.Escape(b.Fix))
		}
	}
	fmt.Fprintln(w, l.chosen())
	switch {
	case l.PrecisionError != "":
		fmt.Fprintln(w, "The default of --precision is invalid: "+l.PrecisionError)
	case l.Precision != kge.AutoPrecision:
		fmt.Fprintf(w, "The default of --precision is %v, from %s.\n",
			l.Precision, kge.PrecisionVariable)
	}
}

// chosen describes the default of --backend.
func (l backendList) chosen() string {
	switch {
	case l.Error != "":
		return "The default of --backend is unusable: " + l.Error
	case l.Chosen.Backend == "":
		return "The default is the native engine, because CUDA is not usable."
	case l.Chosen.From == backend.Auto:
		return "The default of --backend is " + l.Chosen.Backend + "."
	}
	return fmt.Sprintf("The default of --backend is %s, from %s.", l.Chosen.Backend, l.Chosen.From)
}

type backendInstallCommand struct {
	What string `arg:"" enum:"cpu,cuda,cuda12,cuda13" help:"cpu, cuda (the version that fits the driver), cuda12 or cuda13."`
}

func (c *backendInstallCommand) Run(ctx context.Context, o *output) error {
	size := ""
	if c.What != "cpu" {
		size = " and NVIDIA's libraries, some gigabytes"
	}
	o.Message("Downloading the plugin %s of XLA%s.", c.What, size)
	if c.What != "cpu" {
		if problem := probe.This().NoGPU(ctx); problem != nil {
			warn(o, []string{problem.Reason + "; the plugin cannot run yet"})
		}
	}
	var bar *cli.Bar
	file := ""
	progress := func(name string, done, total int64) {
		if name != file {
			bar.Finish()
			file = name
			bar = cli.NewBar(o.Stderr, "fetching "+format.Escape(name), -1, 0,
				progressbar.OptionShowBytes(true))
		}
		bar.Set(done, total)
	}
	b, err := backend.Install(ctx, c.What, progress)
	bar.Finish()
	if err != nil {
		return err
	}
	o.Saved("the plugin is %s", b.Plugin)
	return o.Result(b, func(w io.Writer) {
		fmt.Fprintf(w, "Installed %s", b.Plugin)
		if versions := b.Versions(); versions != "" {
			fmt.Fprintf(w, " (%s)", versions)
		}
		fmt.Fprintln(w)
		if b.Usable {
			fmt.Fprintf(w, "Use it with --backend %s\n", b.Name)
		} else {
			fmt.Fprintf(w, "It is not usable yet: %s: %s\n", b.Reason, b.Fix)
		}
	})
}
