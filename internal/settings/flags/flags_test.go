package flags_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

type learning struct {
	Rate     float64 `json:"rate" name:"lr" min:"0"`
	Patience int     `json:"patience"`
	Factor   float64 `json:"factor" needs:"patience" default:"0.5" max:"1"`
	Share    float64 `json:"share" needs:"patience,lr"`
	Hops     []int   `json:"hops"`
	Reverse  bool    `json:"reverse" negatable:""`
	Hidden   int     `json:"hidden" kong:"-"`
}

type command struct {
	Settings learning `embed:""`
	Engine   string   `enum:"auto,cpu,gomlx" default:"auto"`
}

func parse(t *testing.T, arguments string) (*kong.Context, error) {
	t.Helper()
	c := &command{Settings: learning{Rate: 0.3, Hops: []int{2}, Reverse: true, Hidden: 9}}
	parser, err := flags.Parser(c)
	require.NoError(t, err)
	return parser.Parse(strings.Fields(arguments))
}

// values returns the values of all flags as text.
func values(line *kong.Context) map[string]string {
	all := map[string]string{}
	for _, flag := range line.Flags() {
		text := strings.Trim(fmt.Sprint(flag.Target.Interface()), "[]")
		all[flag.Name] = strings.ReplaceAll(text, " ", ",")
	}
	return all
}

func TestFlags(t *testing.T) {
	for arguments, change := range map[string]map[string]string{
		"":                                {},
		"--lr 0.1 --hops 3,4":             {"lr": "0.1", "hops": "3,4"},
		"--patience=2":                    {"patience": "2", "factor": "0.5"},
		"--patience=2 --factor 0.1":       {"patience": "2", "factor": "0.1"},
		"--patience=0 --factor 0.1":       {},
		"--share 0.4":                     {"share": "0.4"},
		"--share 0.4 --lr 0 --patience 3": {"share": "0.4", "lr": "0", "patience": "3", "factor": "0.5"},
		"--share 0.4 --lr 0":              {"lr": "0"},
		"--no-reverse":                    {"reverse": "false"},
		"--engine cpu":                    {"engine": "cpu"},
	} {
		want := map[string]string{
			"lr": "0.3", "patience": "0", "factor": "0", "hops": "2", "reverse": "true",
			"share": "0", "engine": "auto", "help": "false",
		}
		maps.Copy(want, change)
		line, err := parse(t, arguments)
		require.NoError(t, err)
		if got := values(line); !maps.Equal(got, want) {
			t.Errorf("%q: %v, want %v", arguments, got, want)
		}
		if flags.IsGiven(line, "engine", "lr") != (change["lr"]+change["engine"] != "") {
			t.Errorf("%q: engine or lr is given: %v", arguments, flags.IsGiven(line, "engine", "lr"))
		}
	}
}

func TestInvalidFlags(t *testing.T) {
	for arguments, want := range map[string]string{
		"--engine cpuu": `--engine: unknown value "cpuu"; did you mean cpu? use auto, cpu or gomlx`,
		"--factor 2":    "factor is 2: it must be at most 1",
		"--lr=-1":       "lr is -1: it must be at least 0",
	} {
		if _, err := parse(t, arguments); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", arguments, err, want)
		}
	}
}

func TestFlagsGivenTwice(t *testing.T) {
	for arguments, want := range map[string]string{
		"--model a":                   "",
		"--model a --by x --by y":     "",
		"--model a --file x --file y": "",
		"--model a --by x --model=b":  "--model is given twice, but takes one value: leave out one of them",
	} {
		parser, err := flags.Parser(&struct {
			Model string   `required:""`
			File  []string `required:""`
			By    string
		}{})
		require.NoError(t, err)
		_, err = parser.Parse(append(strings.Fields(arguments), "--file=z"))
		if fmt.Sprint(err) != want && (err != nil || want != "") {
			t.Errorf("%s: %v, want %q", arguments, err, want)
		}
	}
}
