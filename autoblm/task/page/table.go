package page

import (
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/format"
)

// Part is a heading, a paragraph and a table, in this order; what is empty is left out.
type Part struct {
	Heading, Text string
	Table         *Table
}

// Table has the name of each row in its first column.
type Table struct {
	Caption string
	Columns []Head
	// Rows are shown, and Folded only when a reader asks for More.
	Rows, Folded []Row
	More         string
}

// Head begins a column. Numbers stand at its right.
type Head struct {
	Title  string
	Number bool
}

// Row has a cell for each column.
type Row struct {
	Cells []Cell
	// Chosen marks what everything else depends on.
	Chosen bool
}

// Cell is one text of a table.
type Cell struct {
	Text string
	// Code is something to type.
	Code bool
	// Share, when above 0, is drawn as a bar: a percentage.
	Share float64
}

// Bar is a number from 0 to 1 with its size drawn.
func Bar(x float64) Cell { return Cell{Text: format.Cell(x), Share: 100 * x} }

// Column is what a table tells of each T.
type Column[T any] struct {
	Head
	// Of gives a Cell, a structure, or a value: whole numbers stand there with commas,
	// others with three decimals, and nil and what is not finite as missing.
	Of func(T) any
}

// Text is a column of words.
func Text[T any](title string, of func(T) any) Column[T] { return Column[T]{Head{title, false}, of} }

// Number is a column of numbers.
func Number[T any](title string, of func(T) any) Column[T] { return Column[T]{Head{title, true}, of} }

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

// NewTable tells of each of rows, in their order.
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

// Fold hides the rows behind the first shown, each of which is what.
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
