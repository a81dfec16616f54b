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
