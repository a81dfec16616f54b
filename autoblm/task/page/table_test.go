package page

import (
	"math"
	"reflect"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

func TestNewTable(t *testing.T) {
	half := 0.5
	var none *float64
	values := []any{
		"a",
		12345,
		0.12345,
		&half,
		none,
		math.NaN(),
		structure.MustParse("1,0;0,2"),
		Bar(0.25),
	}
	table := NewTable("all", values, Text("text", func(v any) any { return "row" }),
		Number("value", func(v any) any { return v }))
	want := []Cell{
		{
			Text: "a",
		},
		{Text: "12,345"},
		{Text: "0.123"},
		{Text: "0.500"},
		{Text: "–"},
		{Text: "–"},
		{Text: "1,0;0,2", Code: true},
		{Text: "0.250", Share: 25},
	}
	if heads := []Head{{"text", false}, {"value", true}}; !reflect.DeepEqual(table.Columns, heads) {
		t.Errorf("the columns are %v, want %v", table.Columns, heads)
	}
	for i, row := range table.Rows {
		if len(row.Cells) != 2 || row.Cells[0].Text != "row" || row.Cells[1] != want[i] {
			t.Errorf("row %d is %+v, want %+v", i, row.Cells, want[i])
		}
	}
}

func TestFold(t *testing.T) {
	number := Number("n", func(n int) any { return n })
	for _, c := range []struct {
		shown, rows, folded int
		more                string
	}{{5, 3, 0, ""}, {3, 3, 0, ""}, {2, 2, 1, "1 query more"}, {1, 1, 2, "2 queries more"}, {0, 0, 3, "3 queries"}} {
		got := NewTable("all", []int{7, 8, 9}, number).Fold(c.shown, "query")
		if len(got.Rows) != c.rows || len(got.Folded) != c.folded || got.More != c.more {
			t.Errorf("of 3 rows %d are shown, %d folded, under %q; want %+v", len(got.Rows),
				len(got.Folded), got.More, c)
		}
	}
}
