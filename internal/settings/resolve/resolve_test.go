package resolve_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/settings/flags"
	"github.com/autoblm/autoblm-go/internal/settings/resolve"
)

type learning struct {
	Dim      int     `json:"dim"`
	Batch    int     `json:"batch"`
	Rate     float64 `json:"rate" name:"lr"`
	Patience int     `json:"patience"`
	Factor   float64 `json:"factor" needs:"patience" default:"0.5"`
}

func TestSettings(t *testing.T) {
	defaults := learning{Dim: 64, Batch: 256, Rate: 0.3}
	recipe := learning{Dim: 512, Batch: 128, Rate: 0.3, Patience: 3, Factor: 0.2}
	for _, c := range []struct {
		arguments string
		recipe    bool
		want      learning
		sources   string // of all settings, in the order of the fields
	}{
		{"", false, learning{64, 500, 0.3, 0, 0}, "default graph default default default"},
		{"--dim 32", false, learning{32, 500, 0.3, 0, 0}, "flag graph default default default"},
		{"", true, learning{512, 500, 0.3, 3, 0.2}, "recipe graph default recipe recipe"},
		{"--dim 64", true, learning{64, 500, 0.3, 3, 0.2}, "flag graph default recipe recipe"},
		{"--batch 9 --lr 0.1", true, learning{512, 9, 0.1, 3, 0.2}, "recipe flag flag recipe recipe"},
		{"--patience 2", false, learning{64, 500, 0.3, 2, 0.5}, "default graph default flag default"},
		{"--patience 0", true, learning{512, 500, 0.3, 0, 0}, "recipe graph default flag recipe"},
		{"--patience 2 --factor 0.1", true, learning{512, 500, 0.3, 2, 0.1},
			"recipe graph default flag flag"},
	} {
		var command struct {
			Settings learning `embed:""`
		}
		parser, err := flags.Parser(&command)
		if err != nil {
			t.Fatal(err)
		}
		line, err := parser.Parse(strings.Fields(c.arguments))
		if err != nil {
			t.Fatal(err)
		}
		layers := []resolve.Layer{{resolve.Default, func() { command.Settings = defaults }}}
		if c.recipe {
			layers = append(layers, resolve.Layer{resolve.Recipe, func() { command.Settings = recipe }})
		}
		layers = append(layers, resolve.Layer{resolve.Graph, func() {
			if command.Settings.Dim < 1000 { // layers see the given flags
				command.Settings.Batch = 500
			}
		}})
		sources, err := resolve.Settings(line, layers...)
		if err != nil || command.Settings != c.want {
			t.Errorf("%q, recipe %v: %+v, %v; want %+v", c.arguments, c.recipe, command.Settings, err,
				c.want)
		}
		var got []string
		for _, name := range []string{"dim", "batch", "lr", "patience", "factor"} {
			got = append(got, string(sources[name]))
		}
		if want := strings.Fields(c.sources); !reflect.DeepEqual(got, want) {
			t.Errorf("%q, recipe %v: the sources are %v, want %v", c.arguments, c.recipe, got, want)
		}
	}
}
