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
	List    backendListCommand    `cmd:"" help:"List what the native engine uses of the processor, and what GoMLX can run on here, and why not on the rest."`
	Install backendInstallCommand `cmd:"" help:"Download a plugin of XLA into your home."`
}

type backendListCommand struct{}

// backendList is the JSON of backend list.
type backendList struct {
	// CPU is what the native engine has.
	CPU      cpu.Instructions  `json:"cpu"`
	Backends []backend.Backend `json:"backends"`
	// Precision is what auto is, if a variable says so, else "auto", and PrecisionError why
	// what the variable says is none, or "".
	Precision      kge.Precision `json:"precision"`
	PrecisionError string        `json:"precision_error"`
	// Chosen is what runs without --backend; its backend is "" for the native engine.
	Chosen backend.Choice `json:"chosen"`
	// Error is why the backend that a variable asks for cannot be used, or "".
	Error string `json:"error"`
}

// Run lists all backends, and what runs when no flag says more.
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
		if b.Note != "" {
			fmt.Fprintf(w, "%s: %s\n", b.Name, format.Escape(b.Note))
		}
	}
	fmt.Fprintln(w, l.chosen())
	switch {
	case l.PrecisionError != "":
		fmt.Fprintln(w, "Without --precision nothing is trained or ranked: "+l.PrecisionError)
	case l.Precision != kge.AutoPrecision:
		fmt.Fprintf(w, "Without --precision all products are in %v, for %s asks for it.\n", l.Precision, kge.PrecisionVariable)
	}
}

// chosen says in a sentence what runs without --backend.
func (l backendList) chosen() string {
	switch {
	case l.Error != "":
		return "Without --backend nothing runs: " + l.Error
	case l.Chosen.Backend == "":
		return "Without --backend the native engine runs, for CUDA is not usable."
	case l.Chosen.From == backend.Auto:
		return "Without --backend " + l.Chosen.Backend + " runs, for it was found."
	}
	return fmt.Sprintf("Without --backend %s runs, for %s asks for it.", l.Chosen.Backend, l.Chosen.From)
}

type backendInstallCommand struct {
	SHA256 string `name:"sha256" placeholder:"DIGEST" help:"Take the plugin for the CPU that go-xla's project releases, of which no digest is pinned: the SHA-256 digest that its file must have."`
	What   string `arg:"" enum:"cpu,cuda,cuda12,cuda13" help:"cpu, or cuda: for version 12 or 13 of CUDA, as the driver here can run; cuda12 or cuda13 say which."`
}

// Run downloads a plugin.
func (c *backendInstallCommand) Run(ctx context.Context, o *output) error {
	size := ""
	if c.What != "cpu" {
		size = " and NVIDIA's libraries, some gigabytes"
	}
	o.Message("Downloading the plugin %s of XLA%s.", c.What, size)
	if c.What != "cpu" {
		if problem := probe.This().NoGPU(ctx); problem != nil {
			warn(o, []string{problem.Reason + ", so the plugin will be of no use yet; it is downloaded all the same"})
		}
	}
	var bar *cli.Bar
	of := ""
	b, err := backend.Install(ctx, c.What, backend.InstallOptions{SHA256: c.SHA256, Progress: func(name string, done, total int64) {
		if name != of {
			bar.Finish()
			bar, of = cli.NewBar(o.Stderr, "fetching "+format.Escape(name), -1, 0, progressbar.OptionShowBytes(true)), name
		}
		bar.Set(done, total)
	}})
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
			fmt.Fprintf(w, "Use it by --backend %s\n", b.Name)
		} else {
			fmt.Fprintf(w, "It cannot be used here yet: %s: %s\n", b.Reason, b.Fix)
		}
		if b.Note != "" {
			fmt.Fprintf(w, "%s: %s\n", b.Name, format.Escape(b.Note))
		}
	})
}
