package completions_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/completions"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/require"
)

type colour int

var colours = []string{"red", "green", "blue"}

func (c *colour) UnmarshalText(text []byte) error {
	return enum.Unmarshal(colours, "colour", c, text)
}

type line struct {
	Paint struct {
		What    string   `arg:"" help:"What."`
		Colours []colour `help:"Which."`
		Coats   int      `short:"n" help:"How many.\nNot more."`
		Dry     bool     `negatable:"" help:"Wait."`
		Tools   []string `help:"With."`
		Secret  string   `hidden:"" help:"."`
	} `cmd:"" help:"Paint it."`
	Ghost struct{} `cmd:"" hidden:"" help:"."`
	Wash  struct {
		Cold struct {
			Speed string   `arg:"" enum:"slow,fast" help:"."`
			More  []string `arg:"" optional:"" help:"."`
		} `cmd:"" help:"Cold."`
		Hot struct{} `cmd:"" help:"Hot."`
	} `cmd:"" help:"Wash it."`
	Quiet bool `help:"Say less."`
}

func TestSuggestions(t *testing.T) {
	parser, err := kong.New(&line{})
	require.NoError(t, err)
	valuesOf := func(command *kong.Node, v *kong.Value) []string {
		if v.Name == "tools" && command.Name == "paint" {
			return []string{"brush", "roll:er"}
		}
		return nil
	}
	for typed, want := range map[string]string{
		"":                          "paint wash",
		"p":                         "paint",
		"wash ":                     "cold hot",
		"paint ":                    "",
		"paint wall ":               "--help --quiet --colours --coats --dry --tools",
		"paint --c":                 "--colours --coats",
		"paint --colours ":          "red green blue",
		"paint --coats 3 --co":      "--colours --coats",
		"paint --coats ":            "",
		"paint --dry wall --t":      "--tools",
		"paint --tools r":           "roll:er",
		"paint --nonsense wall --t": "--tools",
		"wash cold ":                "slow fast",
		"wash cold fast ":           "",
		"wash hot ":                 "--help --quiet",
		"wash --quiet c":            "cold",
		"--quiet wash cold f":       "fast",
		"nonsense ":                 "paint wash",
	} {
		var words []string
		for _, s := range completions.Suggest(parser.Model, strings.Split(typed, " "), valuesOf) {
			words = append(words, s.Word)
		}
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%q may become %q, want %q", typed, got, want)
		}
	}
	if got := completions.Suggest(parser.Model, nil, valuesOf); len(got) != 2 {
		t.Errorf("no words may become %v", got)
	}
	var out bytes.Buffer
	completions.Print(&out, completions.Suggest(parser.Model, []string{"paint", "--coa"}, valuesOf))
	if out.String() != "--coats\tHow many.\n" {
		t.Errorf("printed as %q", out.String())
	}
}

func TestScripts(t *testing.T) {
	for _, shell := range completions.Shells {
		script, err := completions.Script(shell, "prog", "ask")
		if err != nil || !strings.Contains(script, " ask -- ") ||
			!strings.Contains(
				script, "prog completion "+shell,
			) || strings.Contains(script, "PROGRAM") || strings.Contains(script, "COMMAND") {
			t.Errorf("%s: %v\n%s", shell, err, script)
		}
	}
	if _, err := completions.Script("csh", "prog", "ask"); err == nil {
		t.Error("there is a script for csh")
	}
}
