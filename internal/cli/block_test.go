package cli

import (
	"io"
	"strings"
	"testing"
)

// TestBlock checks alignment, wrapping between cells, and commands that a shell can read.
func TestBlock(t *testing.T) {
	b := Block{Title: []string{"search finished", "wor\x07ld", "4 of 56 structures", "3.2 s"}}
	b.Add("kept", "ensemble of 3", "MRR 0.412", "± 0.030")
	b.Add("baseline", "ComplEx", "MRR 0.404", "no clear difference")
	b.Add("empty", "", "")
	b.Note("A note that is a little too long for its line.")
	b.Next = []string{"", "autoblm predict --model o --head 'a b' --relation r", "autoblm report o"}
	want := `search finished · wor\a` + `ld · 4 of 56
  structures · 3.2 s
  kept      ensemble of 3  MRR 0.412
            ± 0.030
  baseline  ComplEx        MRR 0.404
            no clear difference
  A note that is a little too long for
  its line.
  Next      autoblm predict --model o \
              --head 'a b' --relation r
            autoblm report o
`
	if got := b.text(40, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestBlockColors checks that a terminal gets a check mark for what is finished, and bold text.
func TestBlockColors(t *testing.T) {
	b := Block{Title: []string{"done"}, Rows: [][]string{{"kept", "a"}, {"other", "b"}}}
	const want = "\x1b[32m✔\x1b[0m \x1b[1mdone\x1b[0m\n\x1b[1m  kept   a\x1b[0m\n  other  b\n"
	if got := b.text(80, true); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.Unfinished = true
	if got := b.text(80, true); strings.Contains(got, "✔") {
		t.Errorf("unfinished: %q", got)
	}
}

// TestResultWraps checks that lines of a result wrap at 80 columns, and that blocks in it keep
// their order.
func TestResultWraps(t *testing.T) {
	var text strings.Builder
	o := &Output{Stdout: &SafeWriter{W: &text}}
	long := strings.Repeat("word ", 20)
	err := o.Result(nil, func(w io.Writer) {
		_, _ = io.WriteString(w, "first ")
		_, _ = io.WriteString(w, long+"\n")
		o.Show(Block{Title: []string{"second"}})
		_, _ = io.WriteString(w, "third\n")
	})
	want := "first" + strings.Repeat(" word", 15) + "\n " + strings.Repeat(" word", 5) +
		"\nsecond\nthird\n"
	if err != nil || text.String() != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, text.String(), want)
	}
}
