package flags_test

import (
	"fmt"
	"os"
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
	Share    float64 `json:"share" needs:"patience,lr=0.5"`
	Scale    float64 `json:"scale" with:"batch=500"`
}

func TestResolve(t *testing.T) {
	defaults := resolved{Dim: 64, Batch: 256, Rate: 0.3, Scale: 7}
	recipe := resolved{Dim: 512, Batch: 128, Rate: 0.3, Patience: 3, Factor: 0.2, Scale: 7}
	for _, c := range []struct {
		arguments string
		recipe    bool
		want      resolved
	}{
		{"", false, resolved{64, 500, 0.3, 0, 0, 0, 7}},
		{"--dim 32", false, resolved{32, 500, 0.3, 0, 0, 0, 7}},
		{"", true, resolved{512, 500, 0.3, 3, 0.2, 0, 7}},
		{"--dim 64", true, resolved{64, 500, 0.3, 3, 0.2, 0, 7}},
		{"--batch 9 --lr 0.1", true, resolved{512, 9, 0.1, 3, 0.2, 0, 7}},
		{"--patience 2", false, resolved{64, 500, 0.3, 2, 0.5, 0, 7}},
		{"--patience 0", true, resolved{512, 500, 0.3, 0, 0, 0, 7}},
		{"--patience 2 --factor 0.1", true, resolved{512, 500, 0.3, 2, 0.1, 0, 7}},
		{"--lr 0.5 --share 1", false, resolved{64, 500, 0.5, 0, 0, 1, 7}},
		{"--share 1", true, resolved{512, 500, 0.3, 3, 0.2, 1, 7}},
		{"--scale 8", false, resolved{64, 500, 0.3, 0, 0, 0, 8}},
		{"--factor 0 --share 0 --scale 0 --batch 9", false, resolved{64, 9, 0.3, 0, 0, 0, 0}},
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

// TestFlagsWithoutEffect: a flag of the command line without its companions is an error, unless it is
// zero. A configuration may have it.
func TestFlagsWithoutEffect(t *testing.T) {
	config := t.TempDir() + "/config.yaml"
	require.NoError(t, os.WriteFile(config, []byte("factor: 0.1\nshare: 0.1\nscale: 3\n"), 0o600))
	for arguments, want := range map[string]string{
		"--factor 0.1":              "--factor has no effect without --patience: add it, or leave --factor out",
		"--factor 0.1 --patience 0": "--factor has no effect without --patience: add it, or leave --factor out",
		"--share 0.1": "--share has no effect without --patience or --lr 0.5: " +
			"add it, or leave --share out",
		"--scale 3":                       "--scale has no effect without --batch 500: add it, or leave --scale out",
		"--scale 3 --batch 500":           "",
		"--factor 0.1 --patience 2":       "",
		"--share 0 --factor 0":            "",
		"--config " + config:              "",
		"--patience 0 --config " + config: "",
	} {
		var c struct {
			Train struct {
				Settings resolved `embed:""`
				Config   flags.ConfigFile
			} `cmd:""`
		}
		parser, err := flags.Parser(&c)
		require.NoError(t, err)
		line, err := parser.Parse(strings.Fields("train " + arguments))
		require.NoError(t, err)
		err = flags.Resolve(line, func() { c.Train.Settings = resolved{Dim: 64, Rate: 0.3} })
		if fmt.Sprint(err) != want && (err != nil || want != "") {
			t.Errorf("%s: %v, want %q", arguments, err, want)
		}
	}
}
