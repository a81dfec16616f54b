package flags_test

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

type resolved struct {
	Dim      int     `json:"dim"`
	Batch    int     `json:"batch"`
	Rate     float64 `json:"rate" name:"lr"`
	Patience int     `json:"patience"`
	Factor   float64 `json:"factor" needs:"patience" default:"0.5"`
}

func TestResolve(t *testing.T) {
	defaults := resolved{Dim: 64, Batch: 256, Rate: 0.3}
	recipe := resolved{Dim: 512, Batch: 128, Rate: 0.3, Patience: 3, Factor: 0.2}
	for _, c := range []struct {
		arguments string
		recipe    bool
		want      resolved
	}{
		{"", false, resolved{64, 500, 0.3, 0, 0}},
		{"--dim 32", false, resolved{32, 500, 0.3, 0, 0}},
		{"", true, resolved{512, 500, 0.3, 3, 0.2}},
		{"--dim 64", true, resolved{64, 500, 0.3, 3, 0.2}},
		{"--batch 9 --lr 0.1", true, resolved{512, 9, 0.1, 3, 0.2}},
		{"--patience 2", false, resolved{64, 500, 0.3, 2, 0.5}},
		{"--patience 0", true, resolved{512, 500, 0.3, 0, 0}},
		{"--patience 2 --factor 0.1", true, resolved{512, 500, 0.3, 2, 0.1}},
	} {
		var command struct {
			Settings resolved `embed:""`
		}
		parser, err := flags.Parser(&command)
		require.NoError(t, err)
		line, err := parser.Parse(strings.Fields(c.arguments))
		require.NoError(t, err)
		layers := []func(){func() { command.Settings = defaults }}
		if c.recipe {
			layers = append(layers, func() { command.Settings = recipe })
		}
		err = flags.Resolve(line, append(layers, func() {
			if command.Settings.Dim < 1000 { // layers see the given flags
				command.Settings.Batch = 500
			}
		})...)
		if err != nil || command.Settings != c.want {
			t.Errorf("%q, recipe %v: %+v, %v; want %+v", c.arguments, c.recipe, command.Settings, err,
				c.want)
		}
	}
}
