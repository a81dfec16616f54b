package format_test

import (
	"errors"
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/internal/format"
)

func TestFormats(t *testing.T) {
	half := 0.5
	var none *float64
	for want, got := range map[string]string{
		"12,345": format.Int(12345), "1 epoch": format.Count(1, "epoch"),
		"2,000 epochs": format.Count(2000, "epoch"), "0 hops": format.Count(0, "hop"),
		"2 entities": format.Count(2, "entity"), "2 batches": format.Count(2, "batch"),
		"": format.List([]string{}, "and"), "a": format.List([]string{"a"}, "and"), "1 or 2": format.List(
			[]int{1, 2}, "or"), "a, b and c": format.List([]string{"a", "b", "c"}, "and"),
		"2m3.5s": format.Seconds(123.46), "0.63 ms": format.Milliseconds(0.000629),
		"10.0 ms": format.Milliseconds(0.009996), "101 ms": format.Milliseconds(0.1012),
		"12.6 s": format.Milliseconds(12.59), "one; two": format.OneLine(
			errors.New("one\ntwo")), `a\x1b[31m`: format.Escape("a\x1b[31m"),
		"0.500": format.Cell(&half), "–": format.Cell(none), "yes": format.Cell(true),
		"3": format.Cell(uint64(3)), `x\t`: format.Cell("x\t"),
		`\u007f\u0085\u009b\u202e\u2066\n\x9b�é漢👩‍👩‍👦`: format.Escape(
			"\x7f\u0085\u009b\u202e\u2066\n\x9b�é漢👩‍👩‍👦"),
		"a\n\tb" + `\r\a\u202d`:      format.EscapeLines("a\n\tb\r\a\u202d"),
		`no file \x1b]0;x\a; at all`: format.OneLine(errors.New("no file \x1b]0;x\a\nat all")),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if format.Cell(nil) != format.Missing || format.Cell(math.NaN()) != format.Missing ||
		format.Cell(1.0/3) != "0.333" || format.Cell(-4096) != "-4,096" {
		t.Error("numbers, and what is none, are written otherwise")
	}
}
