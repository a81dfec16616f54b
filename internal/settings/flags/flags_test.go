package flags_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

type learning struct {
	Rate     float64 `json:"rate" name:"lr"`
	Patience int     `json:"patience"`
	Factor   float64 `json:"factor" beside:"patience" default:"0.5"`
	Hops     []int   `json:"hops"`
	Reverse  bool    `json:"reverse" negatable:""`
	Hidden   int     `json:"hidden" kong:"-"`
}

type line struct {
	Settings learning `embed:""`
	Out      string
	Engine   string `enum:"auto,cpu,gomlx" default:"auto"`
	given    float64
}

// BeforeApply sets what stands below what is given.
func (l *line) BeforeApply(ctx *kong.Context) error {
	l.Settings.Patience = 7
	l.given, _ = flags.Given[float64](ctx, "lr")
	return nil
}

func parse(t *testing.T, arguments string) (*line, []flags.Flag) {
	t.Helper()
	l := &line{Settings: learning{Rate: 0.3, Hops: []int{2}, Reverse: true, Hidden: 9}}
	parser, err := flags.Parser(l)
	if err == nil {
		_, err = parser.Parse(strings.Fields(arguments))
	}
	if err != nil {
		t.Fatal(err)
	}
	return l, flags.Of(parser, "")
}

func TestFlags(t *testing.T) {
	usual := learning{Rate: 0.3, Patience: 7, Factor: 0.5, Hops: []int{2}, Reverse: true, Hidden: 9}
	for arguments, change := range map[string]func(*learning){
		"":                          func(*learning) {},
		"--lr 0.1 --hops 3,4":       func(s *learning) { s.Rate, s.Hops = 0.1, []int{3, 4} },
		"--patience=2 --factor 0.1": func(s *learning) { s.Patience, s.Factor = 2, 0.1 },
		"--patience=0 --factor 0.1": func(s *learning) { s.Patience, s.Factor = 0, 0 },
		"--no-reverse":              func(s *learning) { s.Reverse = false },
	} {
		want := usual
		change(&want)
		got, all := parse(t, arguments)
		if !reflect.DeepEqual(got.Settings, want) {
			t.Errorf("%q makes %+v, want %+v", arguments, got.Settings, want)
		}
		if strings.Contains(arguments, "--lr") != (got.given == 0.1) {
			t.Errorf("%q: the rate given is %v", arguments, got.given)
		}
		// The other way round: the arguments that make the same.
		_, before := parse(t, "")
		again, _ := parse(t, strings.Join(flags.Unlike(before, all), " "))
		if !reflect.DeepEqual(again.Settings, want) {
			t.Errorf("%q: %q makes %+v, want %+v", arguments, flags.Unlike(before, all), again.Settings, want)
		}
	}
	parser, err := flags.Parser(&line{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `--engine: unknown engine "cpuu"; did you mean cpu? use auto, cpu or gomlx`
	if _, err := parser.Parse([]string{"--engine", "cpuu"}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, before := parse(t, "")
	if words := flags.Unlike(before, before, "lr", "out"); strings.Join(words, " ") != "--lr 0.3 --out " {
		t.Errorf("%q", words)
	}
}
