package words_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/words"
)

func TestWords(t *testing.T) {
	half := 0.5
	var none *float64
	for want, got := range map[string]string{
		"12,345": words.Whole(12345), "1 epoch": words.Count(1, "epoch"), "2,000 epochs": words.Count(2000, "epoch"), "0 hops": words.Count(0, "hop"), "2 entities": words.Count(2, "entity"), "2 batches": words.Count(2, "batch"),
		"": words.List([]string{}, "and"), "a": words.List([]string{"a"}, "and"), "1 or 2": words.List([]int{1, 2}, "or"), "a, b and c": words.List([]string{"a", "b", "c"}, "and"),
		"2m3.5s": words.Seconds(123.46), "0.63 ms": words.Milliseconds(0.000629), "10.0 ms": words.Milliseconds(0.009996), "101 ms": words.Milliseconds(0.1012), "12.6 s": words.Milliseconds(12.59), "one; two": words.OneLine(errors.New("one\ntwo")), `a\x1b[31m`: words.Printable("a\x1b[31m"),
		"0.500": words.Cell(&half), "–": words.Cell(none), "yes": words.Cell(true), "3": words.Cell(uint64(3)), `x\t`: words.Cell("x\t"),
		`\u007f\u0085\u009b\u202e\u2066\n\x9b�é漢👩‍👩‍👦`: words.Printable("\x7f\u0085\u009b\u202e\u2066\n\x9b�é漢👩‍👩‍👦"),
		"a\n\tb" + `\r\a\u202d`:      words.PrintableLines("a\n\tb\r\a\u202d"),
		`no file \x1b]0;x\a; at all`: words.OneLine(errors.New("no file \x1b]0;x\a\nat all")),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if words.Cell(nil) != words.Missing || words.Cell(math.NaN()) != words.Missing || words.Cell(1.0/3) != "0.333" || words.Cell(-4096) != "-4,096" {
		t.Error("numbers, and what is none, are written otherwise")
	}
}

func TestTable(t *testing.T) {
	table := words.NewTable("name", "MRR", "of 日本")
	table.Add("long name", 0.25, 1200)
	table.Add("é", nil, 3)
	var text strings.Builder
	table.Print(&text)
	want := "" +
		"name         MRR  of 日本\n" +
		"─────────────────────────\n" +
		"long name  0.250    1,200\n" +
		"é              –        3\n"
	if text.String() != want {
		t.Errorf("got\n%swant\n%s", text.String(), want)
	}
}
