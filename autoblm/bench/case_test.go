package main

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// suites are all there are.
func suites() map[string]suite {
	return map[string]suite{"cpu": onCPU(), "device": onDevice(), "small": onDevice().small()}
}

func TestSuites(t *testing.T) {
	for name, s := range suites() {
		ids := slices.Sorted(slices.Values(s.ids()))
		if len(slices.Compact(slices.Clone(ids))) != len(ids) {
			t.Errorf("%s: two cases have one name: %v", name, ids)
		}
		for _, c := range s.timed {
			if c.Dim%4 != 0 || c.Members < 1 || c.Batch < 1 || !c.Rank && c.Steps < 1 || !(c.Goal > 0) {
				t.Errorf("%s: %+v", name, c)
			}
		}
		for _, c := range s.searches {
			if err := c.settings().Validate(); err != nil {
				t.Errorf("%s: %s: %v", name, c.ID, err)
			}
		}
	}
	full, small := onDevice(), onDevice().small()
	if !slices.Equal(full.ids(), small.ids()) {
		t.Errorf("a rehearsal has %v, and not %v", small.ids(), full.ids())
	}
	if a, b := len(pairs(full.timed)), len(pairs(small.timed)); a != b || 2*a != len(full.timed) {
		t.Errorf("%d cases are %d pairs, and in a rehearsal %d", len(full.timed), a, b)
	}
}

// TestDeviceSuite: what is to be measured on a device: one model and a population of
// 8, two graphs, d 64 and d 1024, steps and ranking; and a search of 256 structures.
func TestDeviceSuite(t *testing.T) {
	s := onDevice()
	for _, rank := range []bool{false, true} {
		for _, dataset := range []string{"wn18rr", "fb15k-237"} {
			for _, dim := range []int{64, 1024} {
				for _, members := range []int{1, 8} {
					is := func(c timed) bool {
						return c.Rank == rank && c.Dataset == dataset && c.Dim == dim && c.Members == members
					}
					i := slices.IndexFunc(s.timed, is)
					if i < 0 {
						t.Fatalf("not timed: %s, d %d, %d members, ranking %v", dataset, dim, members, rank)
					}
					goal := 1.0
					if !rank && members == 8 && dim == 64 {
						goal = 0.5
					}
					if c := s.timed[i]; c.Goal != goal || (c.Within == 1) != rank {
						t.Errorf("%s has the goals %v and %v s", c.ID, c.Goal, c.Within)
					}
				}
			}
		}
	}
	if c := s.searches[0]; c.Dataset != "wn18rr" || c.Budget != 256 || c.Epochs != 50 || c.Dim != 64 || c.Within != 900 {
		t.Errorf("search: %+v", c)
	}
}

func TestChoose(t *testing.T) {
	s := onDevice()
	for pattern, want := range map[string][]string{
		"rank-wn18rr-64":         {"rank-wn18rr-64"},
		"step-wn18rr-*":          {"step-wn18rr-64", "step-wn18rr-64x8", "step-wn18rr-1024", "step-wn18rr-1024x8"},
		"*-fb15k-237-64":         {"step-fb15k-237-64", "rank-fb15k-237-64", "precision-fb15k-237-64"},
		"search-*,*-wn18rr-1024": {"step-wn18rr-1024", "rank-wn18rr-1024", "precision-wn18rr-1024", "search-wn18rr"},
	} {
		chosen, err := s.choose(strings.Split(pattern, ","))
		if err != nil || !slices.Equal(chosen.ids(), want) {
			t.Errorf("%s: %v, %v, want %v", pattern, chosen.ids(), err, want)
		}
	}
	for _, pattern := range []string{"", "wn18rr", "search-*,nothing", "["} {
		if _, err := s.choose(strings.Split(pattern, ",")); err == nil || !strings.Contains(err.Error(), "rank-wn18rr-64,") {
			t.Errorf("%q: %v, which should list what there is", pattern, err)
		}
	}
}

// TestPairs: each case is in one pair, the cases of a pair have one size, and no
// pair has two of a kind.
func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.Custom(func(t *rapid.T) timed {
			c := timed{
				Dataset: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "dataset"), Dim: rapid.IntRange(1, 2).Draw(t, "dim"),
				Batch: rapid.IntRange(1, 2).Draw(t, "batch"), Members: rapid.IntRange(1, 2).Draw(t, "members"), Rank: rapid.Bool().Draw(t, "rank"),
			}
			c.ID = rapid.StringN(8, 8, -1).Draw(t, "id")
			return c
		})
		cases := rapid.SliceOfN(one, 0, 12).Draw(t, "cases")
		var got []string
		for _, p := range pairs(cases) {
			if len(p) > 2 || len(p) == 2 && p[0].Rank == p[1].Rank {
				t.Fatalf("%+v", p)
			}
			for _, c := range p {
				got = append(got, c.ID)
				if c.Dataset != p[0].Dataset || c.Dim != p[0].Dim || c.Batch != p[0].Batch || c.Members != p[0].Members || *p.of(c.Rank) != c {
					t.Fatalf("%+v", p)
				}
			}
		}
		if want := (suite{timed: cases}).ids(); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Fatalf("%v of %v", got, want)
		}
	})
}
