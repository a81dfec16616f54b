package task

import (
	"slices"
	"testing"
)

func TestNewExample(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	correct := []string{"b", "g", "h", "j"}
	e := NewExample("?", names, func(name string) bool { return slices.Contains(correct, name) })
	if want := "a, ✓ b, c, d, e"; e.String() != want {
		t.Errorf("%q, want %q", e, want)
	}
	want := []ExampleAnswer{
		{"a", 1, false}, {"b", 2, true}, {"c", 3, false}, {"d", 4, false}, {"e", 5, false},
		{"g", 7, true}, {"h", 8, true},
	}
	if !slices.Equal(e.Answers, want) {
		t.Errorf("%v, want %v", e.Answers, want)
	}
}
