package backend

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/dustin/go-humanize"
)

// Backend describes a compute backend.
type Backend struct {
	// Name is the name for [Open] and [Choose].
	Name   string `json:"name"`
	Usable bool   `json:"usable"`
	// Plugin is the path of the XLA plugin, or "".
	Plugin string `json:"plugin"`
	// Version is the version of the plugin, or "" if unknown.
	Version string `json:"version"`
	// PJRT is the version of the plugin's interface, or "" if the plugin was not loaded.
	PJRT string `json:"pjrt"`
	// GPUs lists the GPUs that it can use.
	GPUs []probe.GPU `json:"gpus"`
	// Reason says why it is not usable, and Fix what to do; both are "" if it is usable.
	Reason string `json:"reason"`
	Fix    string `json:"fix"`
}

// List returns all backends of this machine: "go", "xla:cpu", "xla:cuda", and each other
// plugin by its path. It loads the plugins to see whether they are usable.
func List(ctx context.Context) []Backend { return here().list(ctx) }

func (f finder) list(ctx context.Context) []Backend {
	backends := []Backend{
		{Name: Go, Usable: true, GPUs: []probe.GPU{}},
		f.named(ctx, CPU),
		f.named(ctx, CUDA),
	}
	for _, p := range f.machine.Plugins() {
		if p.Path != backends[1].Plugin && p.Path != backends[2].Plugin {
			problem := cmp.Or(f.obstacle(ctx, p.CUDA()), p.Problem)
			backends = append(backends, f.describe(ctx, "xla:"+p.Path, p, problem))
		}
	}
	for i := range backends {
		f.load(&backends[i])
	}
	return backends
}

// named describes the backend with a name without loading its plugin.
func (f finder) named(ctx context.Context, backend string) Backend {
	plugin, problem := f.find(ctx, strings.TrimPrefix(backend, "xla:"))
	return f.describe(ctx, backend, plugin, problem)
}

func (f finder) describe(
	ctx context.Context, backend string, p probe.Plugin, problem *probe.Problem,
) Backend {
	b := Backend{
		Name: backend, Usable: problem == nil, Plugin: p.Path, Version: p.Version,
		GPUs: []probe.GPU{},
	}
	if problem != nil {
		b.Reason, b.Fix = problem.Reason, problem.Fix
	}
	if backend == CUDA || p.CUDA() {
		b.GPUs = append(b.GPUs, f.machine.GPUs(ctx)...)
	}
	return b
}

// load loads the plugin of a usable backend and sets what it reveals.
func (f finder) load(b *Backend) {
	if !b.Usable || b.Plugin == "" {
		return
	}
	version, err := f.loadPlugin(b.Plugin)
	if err != nil {
		b.Usable = false
		b.Reason = "XLA cannot load it: " + err.Error()
		b.Fix = "install it again, or another one: autoblm backend install cpu or cuda"
		return
	}
	b.PJRT = version
}

// Devices describes the devices of the backend, as in "8 × NVIDIA H200, 140 GiB, driver 550.54".
func (b Backend) Devices() string {
	switch {
	case b.Name == CPU:
		return "CPU (devices=N)"
	case !probe.IsCUDA(b.Name):
		return "CPU"
	case len(b.GPUs) == 0:
		return "no GPU"
	}
	var kinds []string
	for rest := b.GPUs; len(rest) > 0; {
		same := slices.IndexFunc(rest, func(gpu probe.GPU) bool { return gpu != rest[0] })
		if same < 0 {
			same = len(rest)
		}
		text := describeGPU(rest[0])
		if same > 1 {
			text = fmt.Sprintf("%d × %s", same, text)
		}
		kinds, rest = append(kinds, text), rest[same:]
	}
	return strings.Join(kinds, "; ")
}

func describeGPU(gpu probe.GPU) string {
	text := gpu.Name
	if gpu.Memory > 0 {
		text += ", " + humanize.IBytes(uint64(gpu.Memory))
	}
	if gpu.Driver != "" {
		text += ", driver " + gpu.Driver
	}
	return text
}

// PluginText returns the plugin for a table.
func (b Backend) PluginText() string {
	switch {
	case b.Name == Go:
		return "not needed"
	case b.Plugin == "":
		return "none"
	case "xla:"+b.Plugin == b.Name:
		return "in the name"
	}
	return b.Plugin
}

// Versions returns the known versions of the plugin and its interface.
func (b Backend) Versions() string {
	var parts []string
	if b.Version != "" {
		parts = append(parts, b.Version)
	}
	if b.PJRT != "" {
		parts = append(parts, "PJRT "+b.PJRT)
	}
	return strings.Join(parts, ", ")
}
