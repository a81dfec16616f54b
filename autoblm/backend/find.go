package backend

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

// finder finds backends on a machine.
type finder struct {
	machine probe.Machine
	// noXLA is the reason why this program has no XLA, or nil.
	noXLA *probe.Problem
	// loadPlugin loads a plugin and returns its version of the PJRT interface.
	loadPlugin func(path string) (version string, err error)
}

// here returns a finder for this program on this machine.
func here() finder { return finder{probe.This(), noXLA, loadPlugin} }

// find returns the plugin with a name: the first that XLA can load among those that
// go-xla finds by the name. With a problem it returns the plugin that has the problem, if there is
// one.
func (f finder) find(ctx context.Context, name string) (probe.Plugin, *probe.Problem) {
	if filepath.IsAbs(name) { // a plugin with a path need not run on an NVIDIA GPU
		if f.noXLA != nil {
			return probe.Plugin{}, f.noXLA
		}
		p := f.machine.PluginAt(name)
		return p, p.Problem
	}
	plugins := f.machine.Plugins()
	if name != "" {
		return f.findAmong(ctx, plugins, name)
	}
	// GoMLX uses CUDA for "xla" alone if it can, else the CPU.
	if p, problem := f.findAmong(ctx, plugins, "cuda"); problem == nil {
		return p, nil
	}
	return f.findAmong(ctx, plugins, "cpu")
}

func (f finder) findAmong(
	ctx context.Context, plugins []probe.Plugin, name string,
) (probe.Plugin, *probe.Problem) {
	hasName := func(p probe.Plugin) bool {
		return p.Name == name || strings.HasPrefix(p.Name, name+"_v") || name == "cuda" && p.CUDA()
	}
	i := slices.IndexFunc(plugins, func(p probe.Plugin) bool {
		return hasName(p) && p.Problem == nil
	})
	if i < 0 {
		i = slices.IndexFunc(plugins, hasName)
	}
	var p probe.Plugin
	if i >= 0 {
		p = plugins[i]
	}
	problem := f.obstacle(ctx, probe.IsCUDA(name))
	switch {
	case problem != nil:
		return p, problem
	case i < 0:
		return p, f.missing(plugins, name)
	}
	return p, p.Problem
}

// obstacle returns what prevents XLA, or XLA on CUDA, from running with any plugin, or nil.
func (f finder) obstacle(ctx context.Context, cuda bool) *probe.Problem {
	if f.noXLA == nil && cuda {
		return f.machine.NoGPU(ctx)
	}
	return f.noXLA
}

// missing returns the problem that no plugin has a name.
func (f finder) missing(plugins []probe.Plugin, name string) *probe.Problem {
	folders := f.machine.PluginFolders()
	where := "the folders of " + probe.PluginPaths
	if _, set := f.machine.Env(probe.PluginPaths); !set && len(folders) > 0 {
		where = folders[0] + " or the other folders that XLA searches"
	}
	reason := "no PJRT plugin " + name + " in " + where
	if name == "cpu" || name == "cuda" {
		return &probe.Problem{Reason: reason, Fix: "autoblm backend install " + name}
	}
	names := []string{}
	for _, p := range plugins {
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	return &probe.Problem{Reason: reason, Fix: fmt.Sprintf(
		"use an installed plugin (%s) or an absolute path, as in xla:/path/of/plugin.so",
		strings.Join(names, ", "))}
}
