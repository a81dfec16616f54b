package backend

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

// finder finds backends on a machine.
type finder struct {
	machine probe.Machine
	// noXLA is why this program has no XLA, or nil.
	noXLA *probe.Problem
	// load loads a plugin and tells the version of the PJRT interface that it was
	// built for.
	load func(path string) (version string, err error)
}

// here finds on this machine, for this program.
func here() finder { return finder{machine: probe.This(), noXLA: noXLA, load: loadPlugin} }

// find finds the plugin of XLA that a name stands for: the first one that can be
// loaded, of which go-xla finds by that name; for CUDA Jax's too. With a problem
// comes the plugin that has it, if there is one.
func (f finder) find(ctx context.Context, asked string) (probe.Plugin, *probe.Problem) {
	if filepath.IsAbs(asked) { // no GPU is looked for: whoever names a file knows
		if f.noXLA != nil {
			return probe.Plugin{}, f.noXLA
		}
		p := f.machine.PluginAt(asked)
		return p, p.Problem
	}
	plugins := f.machine.Plugins()
	if asked == "" {
		return f.best(ctx, plugins)
	}
	return f.among(ctx, plugins, asked)
}

// best is what GoMLX takes for "xla" alone: CUDA where it can be used, else the CPU.
func (f finder) best(ctx context.Context, plugins []probe.Plugin) (probe.Plugin, *probe.Problem) {
	if p, problem := f.among(ctx, plugins, "cuda"); problem == nil {
		return p, nil
	}
	return f.among(ctx, plugins, "cpu")
}

func (f finder) among(ctx context.Context, plugins []probe.Plugin, asked string) (probe.Plugin, *probe.Problem) {
	named := func(p probe.Plugin) bool {
		return p.Name == asked || strings.HasPrefix(p.Name, asked+"_v") || asked == "cuda" && p.CUDA()
	}
	i := slices.IndexFunc(plugins, func(p probe.Plugin) bool { return named(p) && p.Problem == nil })
	if i < 0 {
		i = slices.IndexFunc(plugins, named)
	}
	var p probe.Plugin
	if i >= 0 {
		p = plugins[i]
	}
	problem := f.against(ctx, probe.IsCUDA(asked))
	switch {
	case problem != nil:
		return p, problem
	case i < 0:
		return p, f.missing(plugins, asked)
	}
	return p, p.Problem
}

// against is what speaks against XLA, or against XLA on CUDA, whatever the plugin; or nil.
func (f finder) against(ctx context.Context, cuda bool) *probe.Problem {
	if f.noXLA == nil && cuda {
		return f.machine.NoGPU(ctx)
	}
	return f.noXLA
}

// missing is the problem that there is no plugin of a name.
func (f finder) missing(plugins []probe.Plugin, asked string) *probe.Problem {
	folders := f.machine.PluginFolders()
	where := "the folders of " + probe.PluginPaths
	if _, set := f.machine.Env(probe.PluginPaths); !set && len(folders) > 0 {
		where = folders[0] + " and wherever else XLA looks"
	}
	why := "there is no PJRT plugin " + asked + " in " + where
	if asked == "cpu" || asked == "cuda" {
		return &probe.Problem{Why: why, Mend: "autoblm backend install " + asked}
	}
	names := []string{}
	for _, p := range plugins {
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	return &probe.Problem{Why: why, Mend: "use one that is there (" + strings.Join(names, ", ") + "), or name it by its absolute path, as xla:/path/of/plugin.so"}
}
