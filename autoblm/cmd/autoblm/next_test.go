package main

import (
	"slices"
	"testing"
)

// TestPathFlags: a relation whose name has a comma is not taken for two.
func TestPathFlags(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"a", "b"}, []string{"--path", "a,b"}},
		{[]string{"works in, since", "b"}, []string{"--path", "works in, since", "--path", "b"}},
	} {
		if got := pathFlags(c.names); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.names, got, c.want)
		}
	}
}
