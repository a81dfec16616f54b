// Package resolve computes the settings of a command from layers: defaults, a recipe, what suits
// the graph, and the flags of the command line. A later layer overrides an earlier one, and given
// flags override all.
package resolve

import (
	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// Source names the layer that a setting comes from.
type Source string

// The sources, from the lowest to the highest precedence.
const (
	Default Source = "default"
	Recipe  Source = "recipe"
	Graph   Source = "graph"
	Flag    Source = "flag"
)

// Layer changes some fields of a command.
type Layer struct {
	Source Source
	Apply  func()
}

// Sources maps the names of flags to the layers that decide their values.
type Sources map[string]Source

// Settings applies the layers to the command that line was parsed into, in order. It applies the
// given flags again after each layer, so a layer sees their values and cannot change them.
func Settings(line *kong.Context, layers ...Layer) (Sources, error) {
	sources := Sources{}
	before := flags.Values(line)
	for name := range before {
		sources[name] = Default
	}
	update := func(source Source) {
		for name, value := range flags.Values(line) {
			if value != before[name] {
				sources[name], before[name] = source, value
			}
		}
	}
	for _, layer := range layers {
		layer.Apply()
		if _, err := line.Apply(); err != nil {
			return nil, err
		}
		update(layer.Source)
	}
	if err := flags.SettleCompanions(line); err != nil {
		return nil, err
	}
	for name := range sources {
		if flags.IsGiven(line, name) {
			sources[name] = Flag
		}
	}
	return sources, nil
}
