// Package table prints aligned tables for terminals.
package table

import (
	"fmt"
	"io"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/autoblm/autoblm-go/internal/format"
)

// Table has rows in columns.
type Table struct {
	Header []string
	Rows   [][]string
}

// New returns an empty table whose columns have these titles.
func New(titles ...string) *Table { return &Table{Header: titles} }

// Add adds a row; see [format.Cell].
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, value := range cells {
		row[i] = format.Cell(value)
	}
	t.Rows = append(t.Rows, row)
}

// Print writes the table with a line below its header, and columns of numbers aligned at
// the right.
func (t *Table) Print(w io.Writer) {
	columns := make([]column, len(t.Header))
	total := 2 * (len(columns) - 1)
	for i := range columns {
		columns[i] = t.column(i)
		total += columns[i].width
	}
	for n, row := range append([][]string{t.Header}, t.Rows...) {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = columns[i].pad(cell)
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(cells, "  "), " "))
		if n == 0 {
			fmt.Fprintln(w, strings.Repeat("─", total))
		}
	}
}

type column struct {
	width   int
	numbers bool
}

func (t *Table) column(i int) column {
	c := column{width: uniseg.StringWidth(t.Header[i]), numbers: true}
	for _, row := range t.Rows {
		c.width = max(c.width, uniseg.StringWidth(row[i]))
		if cell := row[i]; cell != "" && !strings.ContainsAny(cell[:1], "-0123456789") && !strings.HasPrefix(cell, format.Missing) {
			c.numbers = false
		}
	}
	return c
}

func (c column) pad(cell string) string {
	space := strings.Repeat(" ", c.width-uniseg.StringWidth(cell))
	if c.numbers {
		return space + cell
	}
	return cell + space
}
