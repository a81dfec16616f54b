// Package table prints aligned tables for terminals.
package table

import (
	"fmt"
	"io"
	"strings"

	"github.com/autoblm/autoblm-go/internal/format"
	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Table holds cells as text.
type Table struct {
	Header []string
	Rows   [][]string
}

// New returns an empty table with column titles.
func New(titles ...string) *Table { return &Table{Header: titles} }

// Add adds a row; see [format.Cell].
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, value := range cells {
		row[i] = format.Cell(value)
	}
	t.Rows = append(t.Rows, row)
}

// style separates columns by two spaces and the header by a line.
var style = pretty.Style{
	Box:     pretty.BoxStyle{MiddleHorizontal: "─", MiddleSeparator: "──", MiddleVertical: "  "},
	Options: pretty.Options{SeparateColumns: true, SeparateHeader: true},
}

// Print writes the table. It aligns columns of numbers to the right.
func (t *Table) Print(w io.Writer) {
	p := pretty.NewWriter()
	p.SetStyle(style)
	p.SuppressTrailingSpaces()
	configs := make([]pretty.ColumnConfig, len(t.Header))
	for i := range configs {
		align := text.AlignLeft
		if t.isNumeric(i) {
			align = text.AlignRight
		}
		configs[i] = pretty.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align}
	}
	p.SetColumnConfigs(configs)
	p.AppendHeader(cells(t.Header))
	for _, row := range t.Rows {
		p.AppendRow(cells(row))
	}
	fmt.Fprintln(w, p.Render())
}

// isNumeric reports whether all cells of a column are numbers, missing or empty.
func (t *Table) isNumeric(column int) bool {
	for _, row := range t.Rows {
		cell := row[column]
		isNumber := strings.IndexAny(cell, "-0123456789") == 0
		if cell != "" && !isNumber && !strings.HasPrefix(cell, format.Missing) {
			return false
		}
	}
	return true
}

func cells(texts []string) (row pretty.Row) {
	for _, cell := range texts {
		row = append(row, cell)
	}
	return row
}
