package main

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/record"
)

// TestPlan checks that the commands time each case on a GPU once within the time limit, and that they
// are printed.
func TestPlan(t *testing.T) {
	f := flags{Data: "data", Peer: []string{"torch: python3 peer.py", "python3 another.py"}, To: "out"}
	var timed []string
	files := map[string]bool{}
	for _, c := range f.commands() {
		if files[c.file] || !strings.HasPrefix(c.file, "out"+string(filepath.Separator)) {
			t.Errorf("%s writes %s", c.about, c.file)
		}
		files[c.file] = true
		if i := slices.Index(c.arguments, "--backend"); i < 0 ||
			!strings.HasPrefix(c.arguments[i+1], "xla:cuda") {
			t.Errorf("%s is not on the GPU: %q", c.about, c.arguments)
		}
		if i := slices.Index(c.arguments, "--minutes"); i >= 0 {
			if minutes, err := strconv.ParseFloat(c.arguments[i+1], 64); err != nil || minutes <= 0 ||
				minutes >= limitMinutes {
				t.Errorf("%s takes %v minutes", c.about, minutes)
			}
		}
		if c.program != "bench" {
			continue
		}
		own := parse(t, c.arguments)
		chosen, err := choose(suite(own.Backend, own.Small), own.Cases)
		if err != nil || !slices.Equal(own.Peer, f.Peer) || own.Small || own.Out != c.file {
			t.Errorf("%v, %+v", err, own)
		}
		timed = append(timed, ids(chosen)...)
	}
	if want := slices.Sorted(slices.Values(ids(deviceCases()))); !slices.Equal(
		slices.Sorted(slices.Values(timed)), want) {
		t.Errorf("timed are %v of %v", timed, want)
	}
	var printed strings.Builder
	f.plan(&printed)
	for _, c := range f.commands() {
		if line := "\n./" + c.program + " " + record.CommandLine(c.arguments...) + "\n"; strings.Count(
			printed.String(), line) != 1 {
			t.Errorf("%s is not printed once:\n%s", line, printed.String())
		}
	}
}

// TestRehearsalIsThePlan checks that the rehearsal has the commands of the plan, without TF32, which
// GoMLX's own backend does not have.
func TestRehearsalIsThePlan(t *testing.T) {
	abouts := func(f flags) (all []string) {
		for _, c := range f.commands() {
			if about := c.program + " " + c.arguments[0] + " " + filepath.Base(filepath.Dir(c.file)); !strings.Contains(
				c.file,
				"TF32",
			) {
				all = append(all, about)
			}
		}
		return all
	}
	full, small := abouts(flags{}), abouts(flags{Small: true, Backend: "go"})
	if !slices.Equal(full, small) {
		t.Errorf("%q are rehearsed as %q", full, small)
	}
}

// TestPrecisionsFor checks that XLA has three precisions, and that they override TF32 options of the
// backend.
func TestPrecisionsFor(t *testing.T) {
	for backend, want := range map[string]string{
		"go":                  "float32 --backend go --precision float32; bfloat16 --backend go --precision bfloat16",
		"go:ops_sequential":   "float32 --backend go:ops_sequential --precision float32; bfloat16 --backend go:ops_sequential --precision bfloat16",
		"xla:cuda":            "float32 --backend xla:cuda,tf32=false --precision float32; TF32 --backend xla:cuda,tf32=true --precision float32; bfloat16 --backend xla:cuda --precision bfloat16",
		"xla:/x/cuda.so,tf32": "float32 --backend xla:/x/cuda.so,tf32,tf32=false --precision float32; TF32 --backend xla:/x/cuda.so,tf32,tf32=true --precision float32; bfloat16 --backend xla:/x/cuda.so,tf32 --precision bfloat16",
	} {
		var got []string
		for _, s := range precisionsFor(backend) {
			got = append(got, s.name+" "+strings.Join(s.flags, " "))
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %q, want %q", backend, got, want)
		}
	}
}
