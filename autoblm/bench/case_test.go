package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestSuites(t *testing.T) {
	for name, s := range map[string][]benchCase{
		"cpu": cpuCases(), "device": deviceCases(), "small": suite("go", true),
	} {
		names := slices.Sorted(slices.Values(ids(s)))
		if len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Errorf("%s: two cases have one name: %v", name, names)
		}
		for _, c := range s {
			ranked := c.What == rankKind
			if c.Dim%4 != 0 || c.Members < 1 || c.Batch < 1 || ranked != (c.Steps < 1) ||
				!ranked && c.Trained > 0 ||
				(c.Goal > 0) != (c.What != epochKind) {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
	if full, small := ids(deviceCases()), ids(suite("go", true)); !slices.Equal(full, small) {
		t.Errorf("a rehearsal has %v, and not %v", small, full)
	}
}

// TestDeviceSuite checks that the cases for a device cover 1 and 8 members, two graphs, d 64 and
// d 1024, steps and ranking.
func TestDeviceSuite(t *testing.T) {
	goals := map[string]float64{}
	for _, c := range deviceCases() {
		goals[c.ID] = c.Goal
	}
	want := map[string]float64{}
	for _, dataset := range []string{"wn18rr", "fb15k-237"} {
		for _, size := range []string{"-64", "-64x8", "-1024", "-1024x8"} {
			want["step-"+dataset+size], want["rank-"+dataset+size] = 1, 1
		}
		want["step-"+dataset+"-64x8"] = 0.5
	}
	if !maps.Equal(goals, want) {
		t.Errorf("goals %v, want %v", goals, want)
	}
}

func TestChoose(t *testing.T) {
	s := deviceCases()
	for pattern, want := range map[string][]string{
		"^rank-wn18rr-64$": {"rank-wn18rr-64"},
		"^step-wn18rr-64":  {"step-wn18rr-64", "step-wn18rr-64x8"},
		"-fb15k-237-64$":   {"step-fb15k-237-64", "rank-fb15k-237-64"},
		".":                ids(s),
	} {
		chosen, err := choose(s, pattern)
		if err != nil || !slices.Equal(ids(chosen), want) {
			t.Errorf("%s: %v, %v, want %v", pattern, ids(chosen), err, want)
		}
	}
	if _, err := choose(s, "nothing"); err == nil ||
		!strings.Contains(err.Error(), "rank-wn18rr-64,") {
		t.Errorf("%v, which should list the IDs", err)
	}
	if _, err := choose(s, "["); err == nil {
		t.Error("no regular expression passes")
	}
}
