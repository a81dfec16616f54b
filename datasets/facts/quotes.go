package facts

import "strings"

// Unquote removes the quotes of cells between tabs, as writers of CSV add them: a cell in quotes
// whose inner quotes are all doubled, and every cell of a line whose cells are all in quotes.
// Other quotes are part of the label, such as those of "1984" and of New "York".
func Unquote(cells []string) {
	all := true
	for _, cell := range cells {
		all = all && isQuoted(cell)
	}
	for i, cell := range cells {
		if !isQuoted(cell) {
			continue
		}
		inner := cell[1 : len(cell)-1]
		rest := strings.ReplaceAll(inner, `""`, "")
		if !strings.Contains(rest, `"`) && (all || len(rest) < len(inner)) {
			cells[i] = strings.ReplaceAll(inner, `""`, `"`)
		}
	}
}

// Quote returns a label so that [Unquote] returns it.
func Quote(label string) string {
	if !isQuoted(label) {
		return label
	}
	return `"` + strings.ReplaceAll(label, `"`, `""`) + `"`
}

func isQuoted(cell string) bool {
	return len(cell) > 1 && cell[0] == '"' && cell[len(cell)-1] == '"'
}
