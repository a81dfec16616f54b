package main

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"pgregory.net/rapid"
)

// parse is what the program makes of arguments.
func parse(t interface{ Fatalf(string, ...any) }, arguments []string) flags {
	var f flags
	if _, err := kong.Must(&f).Parse(arguments); err != nil {
		t.Fatalf("%q: %v", arguments, err)
	}
	return f
}

// TestArguments: flags that are written as arguments are read as they were.
func TestArguments(t *testing.T) {
	t.Setenv("AUTOBLM_DATA", "elsewhere")
	rapid.Check(t, func(t *rapid.T) {
		want := usualFlags()
		text := rapid.StringMatching("[a-z/.:=, ]{0,3}[a-z]")
		want.Data = text.Draw(t, "data") // else the variable counts
		for _, field := range []*string{&want.Backend, &want.Peer, &want.Study, &want.Out} {
			if rapid.Bool().Draw(t, "given") {
				*field = text.Draw(t, "value")
			}
		}
		if rapid.Bool().Draw(t, "some") {
			want.Cases = rapid.SliceOfN(rapid.StringMatching(`[a-z*][a-z*-]{0,3}`), 1, 3).Draw(t, "cases")
			want.Repeat, want.Threads = rapid.IntRange(1, 9).Draw(t, "repeat"), rapid.IntRange(0, 9).Draw(t, "threads")
			want.Minutes, want.Small = rapid.Float64Range(0, 100).Draw(t, "minutes"), rapid.Bool().Draw(t, "small")
		}
		if got := parse(t, want.arguments()); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v became %q, and that %+v", want, want.arguments(), got)
		}
	})
}

// TestPlan: the commands measure all there is, each once, but that the search goes
// on; none may take longer than it can; and what is printed are these commands.
func TestPlan(t *testing.T) {
	f := usualFlags()
	f.Data, f.Peer, f.To = "data", "python3 peer.py", "out"
	var measured []string
	files := map[string]bool{}
	for _, c := range f.commands() {
		chosen, err := c.suite().choose(c.Cases)
		if err != nil {
			t.Fatalf("%s: %v", c.about, err)
		}
		if err := c.check(); err != nil {
			t.Errorf("%s: %v", c.about, err)
		}
		if c.Minutes <= 0 || c.Minutes >= limitMinutes || c.Backend != "xla:cuda" || c.Data != "data" || c.Small || filepath.Dir(c.Out) != "out" {
			t.Errorf("%+v", c)
		}
		if (c.Peer != "") != (len(chosen.timed) > 0) || (c.Study != "") != (len(chosen.searches) > 0) {
			t.Errorf("%s: the peer is %q and the study %q", c.about, c.Peer, c.Study)
		}
		if !files[c.Out] {
			measured = append(measured, chosen.ids()...)
		} else if len(chosen.searches) == 0 {
			t.Errorf("%s is written twice", c.Out)
		}
		files[c.Out] = true
	}
	want := onDevice().ids()
	slices.Sort(want)
	if slices.Sort(measured); !slices.Equal(measured, want) {
		t.Errorf("measured are %v of %v", measured, want)
	}

	var printed strings.Builder
	f.plan(&printed)
	var lines []string
	for line := range strings.Lines(printed.String()) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	for i, c := range f.commands() {
		if i >= len(lines) || !strings.HasSuffix(lines[i], commandLine("", c.arguments())) {
			t.Errorf("%s is not printed:\n%s", c.about, printed.String())
		}
	}
}

// TestRehearsalIsThePlan: small, the commands are the same but for their sizes, the
// threads, and when the search stops.
func TestRehearsalIsThePlan(t *testing.T) {
	f := usualFlags()
	f.Data, f.Peer = "data", "peer"
	full := f.commands()
	f.Small = true
	small := f.commands()
	if len(full) != len(small) {
		t.Fatalf("%d commands, small %d", len(full), len(small))
	}
	for i, c := range small {
		c.Small, c.Repeat, c.Minutes, c.Threads = false, full[i].Repeat, full[i].Minutes, full[i].Threads
		if !reflect.DeepEqual(c, full[i]) {
			t.Errorf("%+v is rehearsed as %+v", full[i], c)
		}
	}
}
