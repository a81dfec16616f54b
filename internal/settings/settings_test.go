package settings_test

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/settings"
)

type colour int

func (c colour) MarshalText() ([]byte, error) {
	names := []string{"red", "green"}
	if c < 0 || int(c) >= len(names) {
		return nil, errors.New("there is no such colour: use red or green")
	}
	return []byte(names[c]), nil
}

type weights struct {
	Heavy float64 `json:"heavy,omitempty" min:"0" help:"How heavy."`
}

type inner struct {
	Depth int `json:"depth" above:"2" help:"How deep."`
}

type all struct {
	Dim    int    `json:"dim" min:"1" max:"8" help:"How wide."`
	Budget int    `json:"-" min:"1"`
	Paint  colour `json:"paint" help:"Red or green."`
	weights
	Share    float64    `json:"label_share" min:"0" below:"1"`
	Inner    inner      `json:"inner"`
	Pointed  *inner     `json:"pointed"`
	Nowhere  *inner     `json:"nowhere"`
	Lengths  []int      `json:"lengths" min:"1"`
	Between  [2]float64 `json:"between"`
	Seed     uint64     `json:"seed"`
	Switched bool       `json:"switched,omitempty"`
}

func sound() all {
	return all{Dim: 4, Budget: 1, Paint: 1, Inner: inner{3}, Pointed: &inner{4}, Lengths: []int{2, 3},
		Between: [2]float64{0.5, 1}, Seed: math.MaxUint64}
}

// TestOf: names and texts in the order of the fields, with omitted ones marked.
func TestOf(t *testing.T) {
	var got []string
	for _, s := range settings.Of(sound()) {
		line := s.Name + " = " + s.Text()
		if s.Omitted {
			line += " (omitted)"
		}
		got = append(got, line)
	}
	want := []string{
		"dim = 4", "paint = green", "heavy = 0 (omitted)", "label_share = 0", "inner depth = 3",
		"pointed depth = 4",
		"lengths = 2, 3", "between = 0.5, 1", "seed = 18446744073709551615", "switched = false (omitted)",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	s := sound()
	if of := settings.Of(&s); of[0].Help != "How wide." || of[0].Value != 4 {
		t.Errorf("%+v", of[0])
	}
}

func TestSet(t *testing.T) {
	s := sound()
	s.Share = 0.25
	s.Heavy, s.Switched = 1e-7, true
	const want = "dim 4, heavy 1e-07, label-share 0.25, inner depth 3, pointed depth 4, switched"
	if got := settings.Set(s); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCheck(t *testing.T) {
	if err := settings.Check(sound()); err != nil {
		t.Errorf("sound settings: %v", err)
	}
	for want, spoil := range map[string]func(*all){
		"dim is 0: it must be from 1 to 8":                    func(s *all) { s.Dim = 0 },
		"dim is 9: it must be from 1 to 8":                    func(s *all) { s.Dim = 9 },
		"budget is 0: it must be at least 1":                  func(s *all) { s.Budget = 0 },
		"there is no such colour: use red or green":           func(s *all) { s.Paint = 2 },
		"heavy is -1: it must be at least 0":                  func(s *all) { s.Heavy = -1 },
		"heavy is NaN: it must be a finite number":            func(s *all) { s.Heavy = math.NaN() },
		"label-share is 1: it must be at least 0 and below 1": func(s *all) { s.Share = 1 },
		"label-share is +Inf: it must be a finite number":     func(s *all) { s.Share = math.Inf(1) },
		"lengths is 0: it must be at least 1":                 func(s *all) { s.Lengths = []int{2, 0} },
		"":                                                    func(s *all) { s.Inner.Depth = 0 }, // which checks its own
	} {
		s := sound()
		spoil(&s)
		err := settings.Check(s)
		if got := text(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if err := settings.Check(inner{2}); text(err) != "depth is 2: it must be above 2" {
		t.Errorf("got %v", err)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestDifference(t *testing.T) {
	for _, c := range []struct{ there, here, want string }{
		{`{"dim": 64, "seed": 1}`, `{"seed": 1, "dim": 64}`, ""},
		{`{"dim": 64}`, `{"dim": 32}`, "dim 64 there, 32 here"},
		{`{"seed": 18446744073709551615}`, `{"seed": 18446744073709551614}`,
			"seed 18446744073709551615 there, 18446744073709551614 here"},
		{`{"settings": {"training": {"dim": 8}}, "n": 2}`,
			`{"n": 1, "settings": {"training": {"dim": 4}}}`,
			"n 2 there, 1 here; training dim 8 there, 4 here"},
		{`{"hops": [2, 3]}`, `{"hops": [2]}`, "hops [2 3] there, [2] here"},
		{`{"answers_per_query": 4}`, `{}`, "answers-per-query 4 there, not set here"},
		{`{"predictor": null}`, `{"predictor": {"hidden": 8}}`, "predictor hidden not set there, 8 here"},
		{`{"predictor": null}`, `{}`, ""},
		{`{"members": [{"l2": 1}, {"l2": 2}]}`, `{"members": [{"l2": 1}, {"l2": 3}]}`,
			"members 2 l2 2 there, 3 here"},
		{`{"members": [{"l2": 1}]}`, `{"members": [{"l2": 1}, {"l2": 3}]}`,
			"members 1 there, 2 here"},
		{`{"settings": {"teacher": "x"}}`, `{"settings": {"teacher": "y"}}`, "another teacher"},
		{`{"dataset": "a", "fingerprint": "x"}`, `{"dataset": "b", "fingerprint": "x"}`, ""},
		{`{"dataset": "a", "fingerprint": "x"}`, `{"dataset": "b", "fingerprint": "y"}`,
			"dataset a there, b here; the data differ"},
		{`{"data": "x"}`, `{"data": "y"}`, "the data differ"},
		{`{"d\nim": "a\nb"}`, `{}`, `d\nim a\nb there, not set here`},
	} {
		if got, err := settings.Difference([]byte(c.there), []byte(c.here)); err != nil || got != c.want {
			t.Errorf("%s and %s: %q, %v; want %q", c.there, c.here, got, err, c.want)
		}
	}
	for _, damaged := range []string{"", "{", "[1]"} {
		if _, err := settings.Difference([]byte(`{}`), []byte(damaged)); err == nil {
			t.Errorf("%q is no object, but there is no error", damaged)
		}
	}
}
