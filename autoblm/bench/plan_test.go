package main

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/record"
)

// TestPlan checks that the printed commands time each case on a GPU once within the time limit.
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
		chosen, err := choose(deviceSuite.cases(), own.Cases)
		if err != nil || !slices.Equal(own.Peer, f.Peer) || own.Small || own.Out != c.file {
			t.Errorf("%v, %+v", err, own)
		}
		timed = append(timed, ids(chosen)...)
	}
	slices.Sort(timed)
	if want := slices.Sorted(slices.Values(ids(deviceSuite.cases()))); !slices.Equal(timed, want) {
		t.Errorf("timed %v, want %v", timed, want)
	}
	var printed strings.Builder
	f.plan(&printed)
	for _, c := range f.commands() {
		line := "\n./" + c.program + " " + record.CommandLine(c.arguments...) + "\n"
		if strings.Count(printed.String(), line) != 1 {
			t.Errorf("%s is not printed once:\n%s", line, printed.String())
		}
	}
}

// TestRehearsalIsThePlan checks that the rehearsal has the commands of the plan without TF32, which
// GoMLX's own backend does not support.
func TestRehearsalIsThePlan(t *testing.T) {
	summary := func(f flags) (all []string) {
		for _, c := range f.commands() {
			if !strings.Contains(c.file, "TF32") {
				folder := filepath.Base(filepath.Dir(c.file))
				all = append(all, c.program+" "+c.arguments[0]+" "+folder)
			}
		}
		return all
	}
	plan, rehearsal := summary(flags{}), summary(flags{Small: true, Backend: "go"})
	if !slices.Equal(plan, rehearsal) {
		t.Errorf("the plan %q is rehearsed as %q", plan, rehearsal)
	}
}

// TestPrecisionsFor checks that XLA has three precisions, which override the backend's TF32 option.
func TestPrecisionsFor(t *testing.T) {
	const own = "float32 --backend X --precision float32; bfloat16 --backend X --precision bfloat16"
	const xla = "float32 --backend X,tf32=false --precision float32; " +
		"TF32 --backend X,tf32=true --precision float32; bfloat16 --backend X --precision bfloat16"
	for backend, format := range map[string]string{
		"go": own, "go:ops_sequential": own, "xla:cuda": xla, "xla:/x/cuda.so,tf32": xla,
	} {
		var got []string
		for _, s := range precisionsFor(backend) {
			got = append(got, s.name+" "+strings.Join(s.flags, " "))
		}
		want := strings.ReplaceAll(format, "X", backend)
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %q, want %q", backend, got, want)
		}
	}
}
