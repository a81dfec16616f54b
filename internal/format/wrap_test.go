package format

import "testing"

func TestWrap(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"  one two", "  one two"},
		{"one two three", "one two\n  three"},
		{"one  two\nthree four", "one  two\nthree\n  four"},
		{"one incomprehensible word", "one\n  incomprehensible\n  word"},
		{"one two" + NoBreak + "three", "one\n  two three"},
		{"日本 日本 日", "日本 日本\n  日"},
	} {
		if got := Wrap(c.text, 9, 2); got != c.want {
			t.Errorf("%q wraps to %q, want %q", c.text, got, c.want)
		}
	}
}
