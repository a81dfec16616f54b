package main

import (
	"slices"
	"strings"
	"testing"
)

func TestSuites(t *testing.T) {
	for name, s := range map[string][]benchCase{"cpu": cpuCases(), "device": deviceCases(), "small": suite("go", true)} {
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

// TestDeviceSuite checks that the cases for a device cover one model and 8 members, two graphs, d 64
// and d 1024, steps and ranking.
func TestDeviceSuite(t *testing.T) {
	s := deviceCases()
	for _, w := range []kind{stepKind, rankKind} {
		for _, dataset := range []string{"wn18rr", "fb15k-237"} {
			for _, dim := range []int{64, 1024} {
				for _, members := range []int{1, 8} {
					i := slices.IndexFunc(s, func(c benchCase) bool {
						return c.What == w && c.Dataset == dataset && c.Dim == dim && c.Members == members
					})
					if i < 0 {
						t.Fatalf("not timed: %s of %s, d %d, %d members", w, dataset, dim, members)
					}
					goal := 1.0
					if w == stepKind && members == 8 && dim == 64 {
						goal = 0.5
					}
					if c := s[i]; c.Goal != goal || (c.Within == 1) != (w == rankKind) {
						t.Errorf("%s has the goals %v and %v s", c.ID, c.Goal, c.Within)
					}
				}
			}
		}
	}
}

func TestChoose(t *testing.T) {
	s := deviceCases()
	for pattern, want := range map[string][]string{
		"^rank-wn18rr-64$": {"rank-wn18rr-64"},
		"^step-wn18rr-":    {"step-wn18rr-64", "step-wn18rr-64x8", "step-wn18rr-1024", "step-wn18rr-1024x8"},
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
		t.Errorf("%v, which should list what there is", err)
	}
	if _, err := choose(s, "["); err == nil {
		t.Error("no regular expression passes")
	}
}
