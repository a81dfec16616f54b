package datasets

import "github.com/autoblm/autoblm-go/datasets/facts"

// unquote removes the quotes of a line like [facts.Unquote].
func unquote(head, relation, tail string) (h, r, t string) {
	cells := []string{head, relation, tail}
	facts.Unquote(cells)
	return cells[0], cells[1], cells[2]
}
