package main

import (
	"slices"
	"strings"
	"testing"
)

// TestShellCommand: labels and folders that begin with a hyphen are no flags.
func TestShellCommand(t *testing.T) {
	for want, arguments := range map[string][]string{
		"predict --model=-m --head=--> --relation r": {"predict", "--model", "-m", "--head", "-->", "--relation", "r"},
		"dataset info ./-g":                          {"dataset", "info", "-g"},
		"dataset import - --out g":                   {"dataset", "import", "-", "--out", "g"},
		"structure check '-1,0;0,1'":                 {"structure", "check", "-1,0;0,1"},
	} {
		want = strings.ReplaceAll(want, "--head=-->", "'--head=-->'")
		if got := shellCommand(arguments); !strings.HasSuffix(got, " "+want) {
			t.Errorf("%q: %s, want %s", arguments, got, want)
		}
	}
}

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
