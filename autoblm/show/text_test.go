package show

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

func TestTable(t *testing.T) {
	header := []string{"model", "MRR", "note"}
	rows := [][]string{
		{"ComplEx", "0.412", "a|b"},
		{"none", "–"},
		{"of two\nlines", "-1,234.5", "$\\hat r$"},
	}
	want := `| model | MRR | note |
| --- | ---: | --- |
| ComplEx | 0.412 | a\|b |
| none | – |  |
| of two lines | -1,234.5 | $\hat r$ |
`
	n := openNotebook(t)
	Table(header, rows)
	if diff := cmp.Diff(want, n.only().Data[protocol.MIMETextMarkdown]); diff != "" {
		t.Error(diff)
	}

	text := terminal(t)
	Table(header, rows)
	want = "model         MRR       note\n" +
		"ComplEx       0.412     a|b\n" +
		"none          –\n" +
		"of two lines  -1,234.5  $\\hat r$\n"
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Error(diff)
	}
}

func TestIsNumeric(t *testing.T) {
	for cell, want := range map[string]bool{
		"1": true, "0.412": true, "**0.412**": true, "27,148,230,130": true, "1e-16": true,
		"0.41 ± 0.02": true, "37.4 %": true, "1.5 s": true, "3/4": true,
		"": false, "–": false, "K=3": false, "1 of 2": false, "`1,0;0,1`": false, "2nd": false,
	} {
		if got := isNumeric(0, [][]string{{cell}}); got != want {
			t.Errorf("%q: %v", cell, got)
		}
	}
}

func TestMarkdown(t *testing.T) {
	n := openNotebook(t)
	Markdown("**yes**, $K=4$")
	if got := n.only().Data[protocol.MIMETextMarkdown]; got != "**yes**, $K=4$" {
		t.Errorf("%q was sent", got)
	}
	text := terminal(t)
	Markdown("**yes**\n\n")
	if text.String() != "**yes**\n" {
		t.Errorf("%q was printed", text.String())
	}
}
