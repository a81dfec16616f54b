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

// defaultWidth is the width of writers that have none.
const defaultWidth = 80

// Print writes the table. It aligns columns of numbers to the right. If the table does not fit the
// width of the writer, the texts of the widest columns wrap at spaces.
func (t *Table) Print(w io.Writer) {
	width := defaultWidth
	if terminal, is := w.(interface{ Width() int }); is {
		width = terminal.Width()
	}
	limits := t.limits(width)
	p := pretty.NewWriter()
	p.SetStyle(style)
	p.SuppressTrailingSpaces()
	configs := make([]pretty.ColumnConfig, len(t.Header))
	for i := range configs {
		align := text.AlignLeft
		if t.isNumeric(i) {
			align = text.AlignRight
		}
		configs[i] = pretty.ColumnConfig{
			Number: i + 1, Align: align, AlignHeader: align, WidthMax: limits[i],
			WidthMaxEnforcer: func(cell string, most int) string { return format.Wrap(cell, most, 0) },
		}
	}
	p.SetColumnConfigs(configs)
	p.AppendHeader(cells(t.Header))
	for _, row := range t.Rows {
		p.AppendRow(cells(row))
	}
	rendered := p.Render()
	if keeper, is := w.(interface{ Keep(text string) }); is {
		keeper.Keep(rendered) // rows that do not fit stay whole
	}
	fmt.Fprintln(w, rendered)
}

// limits returns the largest widths of the columns so that the table fits a width, if its words
// allow it.
func (t *Table) limits(width int) []int {
	sizes, least := make([]int, len(t.Header)), make([]int, len(t.Header))
	total := 2 * (len(t.Header) - 1)
	for i := range t.Header {
		for _, row := range append([][]string{t.Header}, t.Rows...) {
			sizes[i] = max(sizes[i], format.Width(row[i]))
			for word := range strings.FieldsSeq(row[i]) {
				least[i] = max(least[i], format.Width(word))
			}
		}
		total += sizes[i]
	}
	for ; total > width; total-- {
		widest := -1
		for i, size := range sizes {
			if size > least[i] && (widest < 0 || size > sizes[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		sizes[widest]--
	}
	return sizes
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
