package study

import "testing"

// TestFirstOf checks that few differences are listed whole.
func TestFirstOf(t *testing.T) {
	for text, want := range map[string]string{
		"a": "a", "a; b; c; d": "a; b; c; d", "a; b; c; d; e": "a; b; c; and 2 more",
	} {
		if got := firstOf(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
