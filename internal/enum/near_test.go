package enum_test

import (
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/internal/enum"
)

func TestNear(t *testing.T) {
	countries := []string{
		"East Germany", "Germany", "Niger", "Nigeria", "Oman", "Romania", "Chad", "A",
	}
	for name, want := range map[string][]string{
		"german":            {"Germany", "East Germany"},
		"Nigeria (country)": {"Niger", "Nigeria"},
		"omania":            {"Oman", "Romania"},
		"Xanadu":            nil,
		"":                  nil,
		"Cahd":              {"Chad"},
		"germnay":           {"Germany"},
		"Rumänia":           {"Romania"},
		"X":                 nil, // a slip away from A, but nothing of it is left
		"i":                 {"Niger", "Nigeria", "Romania"},
	} {
		if got := enum.Near(countries, name); !slices.Equal(got, want) {
			t.Errorf("near %q: %v, want %v", name, got, want)
		}
	}
	if got := enum.Near(slices.Repeat([]string{"relation"}, 9), "relations"); len(got) != 3 {
		t.Errorf("%v is suggested", got)
	}
}

func TestUnknown(t *testing.T) {
	for name, want := range map[string]string{
		"grene": `unknown colour "grene"; did you mean green? use red, green or blue`,
		"mauve": `unknown colour "mauve": use red, green or blue`,
	} {
		if err := enum.Unknown("colour", name, colours); err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if got := enum.DidYouMean(nil); got != "" {
		t.Errorf("nothing is suggested as %q", got)
	}
}
