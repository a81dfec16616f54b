package format

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Wrap breaks lines at spaces so that they fit a width, and indents the further lines. It never
// breaks a word: a longer one is alone on its line. [NoBreak] becomes a space.
func Wrap(lines string, width, indent int) string {
	var wrapped strings.Builder
	margin := strings.Repeat(" ", indent)
	for i, line := range strings.Split(lines, "\n") {
		if i > 0 {
			wrapped.WriteByte('\n')
		}
		column, spaces, isFirst := 0, 0, true
		for n, word := range strings.Split(line, " ") {
			if n > 0 {
				spaces++
			}
			if word == "" {
				continue
			}
			size := Width(strings.ReplaceAll(word, NoBreak, " "))
			if !isFirst && column+spaces+size > width {
				wrapped.WriteString("\n" + margin)
				column, spaces = indent, 0
			}
			wrapped.WriteString(strings.Repeat(" ", spaces) + word)
			column, spaces, isFirst = column+spaces+size, 0, false
		}
	}
	return strings.ReplaceAll(wrapped.String(), NoBreak, " ")
}

// NoBreak stands for a space at which [Wrap] does not break a line. It is no character of texts.
const NoBreak = "\ufdd0"

// Clip shortens a text to a number of columns, with "…" at its end.
func Clip(s string, width int) string { return text.Snip(s, width, "…") }

// Width returns the number of columns of a text in a terminal.
func Width(s string) int { return text.StringWidthWithoutEscSequences(s) }
