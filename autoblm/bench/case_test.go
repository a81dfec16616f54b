package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

func ids(cases []benchCase) (all []string) {
	for _, c := range cases {
		all = append(all, c.ID)
	}
	return all
}

func TestSuites(t *testing.T) {
	for _, name := range []suite{
		speedSuite, enginesSuite, trainingsSuite, timeToMRRSuite, deviceSuite,
	} {
		for _, inSmall := range []bool{false, true} {
			all := flags{Suite: name, Small: inSmall}.cases()
			seen := map[string]bool{}
			for _, c := range all {
				ranked, hasGoal := c.What == rankKind, name != enginesSuite && name != trainingsSuite
				if seen[c.ID] || c.Dim%4 != 0 || c.Members < 1 || c.Batch < 1 && c.What != classKind ||
					ranked != (c.Epochs < 1) || !ranked && c.Trained > 0 ||
					(c.Goal > 0) != (hasGoal && c.What != epochKind) ||
					(c.Rate > 0 && c.Seconds > 0) != (name == trainingsSuite) {
					t.Errorf("%s: %+v", name, c)
				}
				seen[c.ID] = true
			}
			if full := ids(name.cases()); !slices.Equal(full, ids(all)) {
				t.Errorf("%s has %v, and small %v", name, full, ids(all))
			}
		}
	}
}

// TestMembers checks that our engine supports all trainings.
func TestMembers(t *testing.T) {
	for _, c := range trainingsSuite.cases() {
		for _, m := range members(t, c) {
			if err := settingsOf(c).ValidateFor(m); err != nil {
				t.Errorf("%s: %v", c.ID, err)
			}
			if rotates := m.Form != form.Bilinear; rotates != (c.Model == rotateModel) {
				t.Errorf("%s trains %v", c.ID, m.Form)
			}
		}
	}
}

// TestScheduleFor checks that a schedule fills the time limit with epochs that are at most whole.
func TestScheduleFor(t *testing.T) {
	for want, c := range map[schedule]struct {
		seconds, step float64
		perEpoch      int
	}{
		{1, 10, true}: {1, 0.1, 20},
		{1, 20, true}: {2, 0.1, 20},
		{2, 10, true}: {2.1, 0.1, 20},
		{3, 3, true}:  {1, 0.1, 4},
		{1, 1, true}:  {1, 5, 4},
	} {
		if got := scheduleFor(c.seconds, c.step, c.perEpoch); got != want {
			t.Errorf("%v s of steps of %v s: %+v, want %+v", c.seconds, c.step, got, want)
		}
	}
}

// TestDeviceSuite checks that the cases for a device cover 1 and 8 members, two graphs, d 64 and
// d 1024, steps and ranking.
func TestDeviceSuite(t *testing.T) {
	goals := map[string]float64{}
	for _, c := range deviceSuite.cases() {
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
	s := deviceSuite.cases()
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
