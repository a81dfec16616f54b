package backend

import (
	"cmp"
	"context"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

// Backend is what GoMLX could run on.
type Backend struct {
	// Name is what [Open] and [Choose] take.
	Name   string `json:"name"`
	Usable bool   `json:"usable"`
	// Plugin is the path of XLA's plugin, or "" when there is none or it needs none.
	Plugin string `json:"plugin"`
	// Version of the plugin, or "" when nothing tells.
	Version string `json:"version"`
	// PJRT is the version of the interface that the plugin was built for, or ""
	// when it was not loaded.
	PJRT string `json:"pjrt"`
	// PJRTCalled is the version that is called, or "" where PJRT is: of an older plugin
	// Note says what that means.
	PJRTCalled string `json:"pjrt_called"`
	// GPUs are those that it can run on.
	GPUs []probe.GPU `json:"gpus"`
	// Note is what else is worth knowing, or "".
	Note string `json:"note"`
	// Why it is not usable, or "", and what helps.
	Why  string `json:"why"`
	Mend string `json:"mend"`
}

// List is all that GoMLX could run on here: "go", "xla:cpu" and "xla:cuda", and each
// further plugin by its path. To say whether a plugin can be used, it loads it.
func List(ctx context.Context) []Backend { return here().list(ctx) }

func (f finder) list(ctx context.Context) []Backend {
	backends := []Backend{{Name: Go, Usable: true, GPUs: []probe.GPU{}}, f.named(ctx, CPU), f.named(ctx, CUDA)}
	for _, p := range f.machine.Plugins() {
		if p.Path != backends[1].Plugin && p.Path != backends[2].Plugin {
			backends = append(backends, f.describe(ctx, "xla:"+p.Path, p, cmp.Or(f.against(ctx, p.CUDA()), p.Problem)))
		}
	}
	for i := range backends {
		f.try(&backends[i])
	}
	return backends
}

// named tells of the backend that a name stands for, as far as can be told without
// loading it.
func (f finder) named(ctx context.Context, backend string) Backend {
	plugin, problem := f.find(ctx, strings.TrimPrefix(backend, "xla:"))
	return f.describe(ctx, backend, plugin, problem)
}

func (f finder) describe(ctx context.Context, backend string, p probe.Plugin, problem *probe.Problem) Backend {
	b := Backend{Name: backend, Usable: problem == nil, Plugin: p.Path, Version: p.Version, GPUs: []probe.GPU{}}
	if problem != nil {
		b.Why, b.Mend = problem.Why, problem.Mend
	}
	if p.Jax {
		b.Note = "the plugin is Jax's, which GoMLX by itself finds only by its path: " + GoMLXVariable + "=xla:" + p.Path
	}
	if backend == CUDA || p.CUDA() {
		b.GPUs = append(b.GPUs, f.machine.GPUs(ctx)...)
	}
	return b
}

// try loads the plugin of a backend that nothing else speaks against.
func (f finder) try(b *Backend) {
	if !b.Usable || b.Plugin == "" {
		return
	}
	version, err := f.load(b.Plugin)
	if err != nil {
		b.Usable, b.Why, b.Mend = false, "XLA cannot load it: "+err.Error(), "install it again, or another one: autoblm backend install cpu or cuda"
		return
	}
	b.PJRT, b.PJRTCalled = version, calledPJRT
	if older := olderPJRT(version); older != "" && b.Note != "" {
		b.Note += "; " + older
	} else if older != "" {
		b.Note = older
	}
}
