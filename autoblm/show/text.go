package show

import (
	"fmt"
	"regexp"
	"strings"
	"text/tabwriter"

	"github.com/autoblm/autoblm-go/internal/format"
)

// Markdown shows Markdown text with formulae between dollar signs.
func Markdown(text string) {
	here.show(value{markdown: text, text: strings.TrimRight(text, "\n") + "\n"})
}

// Table shows a table. Cells are Markdown in one line. Columns of numbers are aligned to the right.
// A row may be shorter than the header. See [Row].
func Table(header []string, rows [][]string) {
	here.show(table(header, rows))
}

func table(header []string, rows [][]string) value {
	width := len(header)
	for _, row := range rows {
		width = max(width, len(row))
	}
	marks := make([]string, width)
	for column := range marks {
		marks[column] = "---"
		if isNumeric(column, rows) {
			marks[column] = "---:"
		}
	}
	var markdown, text strings.Builder
	aligned := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for n, row := range append([][]string{header}, rows...) {
		cells := make([]string, width)
		for column, cell := range row {
			cells[column] = oneLine.Replace(cell)
		}
		fmt.Fprintln(aligned, strings.Join(cells, "\t"))
		for column, cell := range cells {
			cells[column] = strings.ReplaceAll(cell, "|", `\|`)
		}
		fmt.Fprintf(&markdown, "| %s |\n", strings.Join(cells, " | "))
		if n == 0 {
			fmt.Fprintf(&markdown, "| %s |\n", strings.Join(marks, " | "))
		}
	}
	aligned.Flush()
	return value{markdown: markdown.String(), text: trimLines(text.String())}
}

// oneLine joins the lines of a cell.
var oneLine = strings.NewReplacer("\r", "", "\n", " ", "\t", " ")

var number = regexp.MustCompile(
	`^[*]{0,2}[-+−]?[0-9][0-9.,/ ]*(e[-+][0-9]+)?( ?(%|s|ms|±.*))?[*]{0,2}$`)

// isNumeric reports whether a column has only numbers and empty cells.
func isNumeric(column int, rows [][]string) bool {
	found := false
	for _, row := range rows {
		if column >= len(row) || row[column] == "" || row[column] == format.Missing {
			continue
		}
		if !number.MatchString(row[column]) {
			return false
		}
		found = true
	}
	return found
}

func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}
