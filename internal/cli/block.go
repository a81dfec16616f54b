package cli

import (
	"cmp"
	"io"
	"os"
	"strings"

	"github.com/autoblm/autoblm-go/internal/format"
	"golang.org/x/term"
)

// Block is a result for people: what was done, the answer in aligned rows, notes, and commands to
// continue with.
type Block struct {
	// Title has the parts of the first line. Unfinished leaves out its check mark.
	Title      []string
	Unfinished bool
	// Rows have a label and cells, which are aligned. The first row is the answer. A row without a
	// label continues the row before it.
	Rows [][]string
	// Notes are sentences.
	Notes []string
	// Next are complete commands; empty ones are left out.
	Next []string
}

// Add adds a row, unless all cells are empty.
func (b *Block) Add(label string, cells ...string) {
	if strings.Join(cells, "") != "" {
		b.Rows = append(b.Rows, append([]string{label}, cells...))
	}
}

// Note adds a sentence, unless it is empty.
func (b *Block) Note(sentence string) {
	if sentence != "" {
		b.Notes = append(b.Notes, sentence)
	}
}

// Show prints a block, wrapped at the width of the terminal.
func (o *Output) Show(b Block) {
	_, _ = io.WriteString(o.Stdout, o.Drawing(func(color bool) string {
		return b.text(o.Stdout.Width(), color)
	}))
}

// Terminal escape sequences.
const (
	bold, green, plain = "\x1b[1m", "\x1b[32m", "\x1b[0m"
	clearLine          = "\r\x1b[K"

	blockMargin = "  "
)

// text formats the block, with all parts escaped.
func (b Block) text(width int, color bool) string {
	var lines strings.Builder
	if len(b.Title) > 0 {
		if color && !b.Unfinished {
			lines.WriteString(green + "✔" + plain + " ")
		}
		var parts []string
		for _, part := range b.Title {
			if len(part) < len("100 epochs") { // such as 3.2 s
				part = strings.ReplaceAll(part, " ", format.NoBreak)
			}
			parts = append(parts, part)
		}
		title := format.Escape(strings.Join(parts, format.NoBreak+"· "))
		lines.WriteString(emphasize(format.Wrap(title, width-len("✔ "), 2), color) + "\n")
	}
	sizes := b.columns()
	for i, row := range b.Rows {
		line := format.Wrap(rowText(row, sizes), width, len(blockMargin)+sizes[0]+2)
		if i == 0 {
			line = emphasize(line, color)
		}
		lines.WriteString(line + "\n")
	}
	for _, note := range b.Notes {
		line := format.Wrap(blockMargin+format.Escape(note), width, len(blockMargin))
		lines.WriteString(line + "\n")
	}
	label := pad("Next", sizes[0])
	for _, command := range b.Next {
		if command == "" {
			continue
		}
		line := blockMargin + label + blockMargin + wrapCommand(format.Escape(command), width,
			len(blockMargin)+sizes[0]+2)
		lines.WriteString(line + "\n")
		label = pad("", sizes[0])
	}
	return lines.String()
}

func emphasize(text string, color bool) string {
	if color {
		text = bold + text + plain
	}
	return text
}

// columns returns the widths of the columns. The last cell of a row needs no room.
func (b Block) columns() []int {
	sizes := []int{len("Next")}
	for _, row := range b.Rows {
		for i, cell := range row {
			if i == len(sizes) {
				sizes = append(sizes, 0)
			}
			if i == 0 || i < len(row)-1 {
				sizes[i] = max(sizes[i], format.Width(format.Escape(cell)))
			}
		}
	}
	return sizes
}

// rowText aligns the cells of a row. A row of a label and a sentence may break at all spaces,
// others between cells only.
func rowText(row []string, sizes []int) string {
	var line strings.Builder
	for i, cell := range row {
		cell = format.Escape(cell)
		if i < len(row)-1 {
			cell = pad(cell, sizes[i])
		}
		if len(row) > 2 {
			trimmed := strings.TrimRight(cell, " ")
			cell = strings.ReplaceAll(trimmed, " ", format.NoBreak) + cell[len(trimmed):]
		}
		line.WriteString("  " + cell)
	}
	return strings.TrimRight(line.String(), " ")
}

func pad(s string, size int) string {
	return s + strings.Repeat(" ", max(0, size-format.Width(s)))
}

// wrapCommand breaks a command before flags so that a shell still reads it as one command.
func wrapCommand(command string, width, indent int) string {
	const end, more = " \\", 2
	parts := strings.Split(command, " --")
	wrapped, column := parts[0], indent+format.Width(parts[0])
	for i, part := range parts[1:] {
		part = "--" + part
		room := width
		if i < len(parts)-2 {
			room -= len(end)
		}
		if column+1+format.Width(part) > room {
			wrapped += end + "\n" + strings.Repeat(" ", indent+more) + part
			column = indent + more + format.Width(part)
			continue
		}
		wrapped += " " + part
		column += 1 + format.Width(part)
	}
	return wrapped
}

// usualWidth is the width of an output that is not a terminal.
const usualWidth = 80

// Width returns the width of a terminal, or 80 columns for other writers.
func Width(w io.Writer) int {
	file, is := w.(*os.File)
	if !is || !term.IsTerminal(int(file.Fd())) {
		return usualWidth
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		width = 0
	}
	return cmp.Or(width, usualWidth)
}
