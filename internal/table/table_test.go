package table_test

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/table"
)

func TestTable(t *testing.T) {
	table := table.New("name", "MRR", "of 日本")
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

// TestNarrowTable checks that texts wrap at spaces where a table is wider than 80 columns.
func TestNarrowTable(t *testing.T) {
	table := table.New("name", "remark")
	words := strings.TrimSpace(strings.Repeat("words ", 16))
	table.Add("a", words)
	var text strings.Builder
	table.Print(&text)
	for line := range strings.Lines(text.String()) {
		if n := len([]rune(strings.TrimSpace(line))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if n := strings.Count(text.String(), "words"); n != 16 {
		t.Errorf("%d of 16 words in\n%s", n, text.String())
	}
}
