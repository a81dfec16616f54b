package enum_test

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/enum"
)

type colour int

var colours = []string{"red", "green", "blue"}

func TestNamesRoundTrip(t *testing.T) {
	for value := range colour(len(colours)) {
		text, err := enum.Marshal(colours, "colour", value)
		if err != nil || string(text) != colours[value] ||
			enum.Name(colours, "colour", value) != colours[value] {
			t.Errorf("value %d: %q, %v", value, text, err)
		}
		var back colour = -1
		if err := enum.Unmarshal(colours, "colour", &back, text); err != nil || back != value {
			t.Errorf("%q gives %d, %v", text, back, err)
		}
	}
}

func TestUnnamedValues(t *testing.T) {
	for _, value := range []colour{-1, 3} {
		if _, err := enum.Marshal(colours, "colour", value); err == nil {
			t.Errorf("Marshal(%d) gave no error", value)
		}
		if got := enum.Name(colours, "colour", value); !strings.HasPrefix(got, "colour(") {
			t.Errorf("Of(%d) = %q", value, got)
		}
	}
	value := colour(1)
	err := enum.Unmarshal(colours, "colour", &value, []byte("mauve"))
	if err == nil || err.Error() != `unknown colour "mauve": use red, green or blue` || value != 1 {
		t.Errorf("error %v, value %d", err, value)
	}
}
