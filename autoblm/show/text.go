package show

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

// Markdown shows a text in Markdown, with formulae between dollars.
func Markdown(text string) {
	here.show(value{markdown: text, text: strings.TrimRight(text, "\n") + "\n"})
}

// Table shows rows under a header. Cells are Markdown in one line; columns of
// numbers are aligned at the right. What a row lacks is empty.
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
	line := func(cells []string, escape func(string) string) {
		markdown.WriteString("|")
		for _, cell := range padded(cells, width) {
			fmt.Fprintf(&markdown, " %s |", escape(cell))
		}
		markdown.WriteString("\n")
	}
	for n, row := range append([][]string{header}, rows...) {
		line(row, inTable)
		fmt.Fprintln(aligned, strings.Join(padded(row, width), "\t"))
		if n == 0 {
			line(marks, strings.Clone)
		}
	}
	aligned.Flush()
	return value{markdown: markdown.String(), text: trimLines(text.String())}
}

// padded is a row with as many cells as the table has columns.
func padded(row []string, width int) []string {
	return append(slices.Clip(row), make([]string, width-len(row))...)
}

// inTable is a text as a cell of a Markdown table.
func inTable(text string) string {
	return strings.NewReplacer("|", `\|`, "\r", "", "\n", " ").Replace(text)
}

var number = regexp.MustCompile(`^[*]{0,2}[-+−]?[0-9][0-9.,/ ]*( ?(%|s|ms|±.*))?[*]{0,2}$`)

// isNumeric says whether a column has numbers, and nothing else but gaps.
func isNumeric(column int, rows [][]string) bool {
	found := false
	for _, row := range rows {
		if column >= len(row) || row[column] == "" || row[column] == "–" {
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
