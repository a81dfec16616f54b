package exchange

import (
	"fmt"
	"strconv"
)

// idList collects labels by id.
type idList map[int]string

// add adds a row with an id and a label.
func (l idList) add(row []string) error {
	line := len(l) + 1
	if len(row) != 2 {
		return fmt.Errorf("label %d: the row is not an id and a label with a tab between them", line)
	}
	id, err := strconv.Atoi(row[0])
	if err != nil || id < 0 {
		return fmt.Errorf("label %d: the id %q is no number", line, row[0])
	}
	if _, again := l[id]; again {
		return fmt.Errorf("label %d: the id %d is there twice", line, id)
	}
	l[id] = row[1]
	return nil
}

// labels returns the labels in the order of their ids, which must be 0, 1, 2 and so on.
func (l idList) labels() ([]string, error) {
	all := make([]string, len(l))
	for id := range all {
		label, found := l[id]
		if !found {
			return nil, fmt.Errorf("the id %d has no label, but a higher one has", id)
		}
		all[id] = label
	}
	return all, nil
}
