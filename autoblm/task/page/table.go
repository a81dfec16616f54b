package page

import (
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/format"
)

// Part holds a heading, a paragraph and a table in this order; empty ones are not shown.
type Part struct {
	Heading, Text string
	Table         *Table
}

// Table is a table whose first column has the names of the rows.
type Table struct {
	Caption string `json:"caption"`
	Columns []Head `json:"columns"`
	// Rows are visible; a reader unfolds the Folded ones, with the label More.
	Rows   []Row  `json:"rows"`
	Folded []Row  `json:"folded,omitempty"`
	More   string `json:"more,omitempty"`
}

// Head is the head of a column. Columns of numbers are right-aligned.
type Head struct {
	Title  string `json:"title"`
	Number bool   `json:"number,omitempty"`
}

// Row has one cell per column.
type Row struct {
	Cells []Cell `json:"cells"`
	// Chosen highlights the row, such as the selected recipe.
	Chosen bool `json:"chosen,omitempty"`
}

// Cell is the text of a cell.
type Cell struct {
	Text string `json:"text"`
	// Code is true for text that a user may type.
	Code bool `json:"code,omitempty"`
	// Share is the length of a bar in percent; 0 draws none.
	Share float64 `json:"share,omitempty"`
}

// Bar returns a cell with a number from 0 to 1 and a bar of its size.
func Bar(x float64) Cell { return Cell{Text: format.Cell(x), Share: 100 * x} }

// Column is a column of a table of Ts.
type Column[T any] struct {
	Head
	// Of returns a Cell, a structure or another value. Integers get thousands separators,
	// other numbers three decimals; nil and non-finite numbers are shown as missing.
	Of func(T) any
}

// Text returns a column of text.
func Text[T any](title string, of func(T) any) Column[T] {
	return Column[T]{Head{title, false}, of}
}

// Number returns a column of numbers.
func Number[T any](title string, of func(T) any) Column[T] {
	return Column[T]{Head{title, true}, of}
}

func (c Column[T]) cell(row T) Cell {
	switch value := c.Of(row).(type) {
	case Cell:
		return value
	case structure.Structure:
		return Cell{Text: value.String(), Code: true}
	default:
		return Cell{Text: format.Cell(value)}
	}
}

// NewTable returns a table of rows in their order.
func NewTable[T any](caption string, rows []T, columns ...Column[T]) *Table {
	t := &Table{Caption: caption, Rows: make([]Row, len(rows))}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Head)
		for i, r := range rows {
			t.Rows[i].Cells = append(t.Rows[i].Cells, c.cell(r))
		}
	}
	return t
}

// Fold hides all rows after the first ones; what names a row in the label.
func (t *Table) Fold(shown int, what string) *Table {
	if len(t.Rows) <= shown {
		return t
	}
	t.Rows, t.Folded = t.Rows[:shown], t.Rows[shown:]
	t.More = format.Count(len(t.Folded), what)
	if shown > 0 {
		t.More += " more"
	}
	return t
}
