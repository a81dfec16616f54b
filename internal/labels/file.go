package labels

import (
	"errors"
	"fmt"
	"strings"
)

const byteOrderMark = "\uFEFF"

// Encode returns labels, one per line. They must pass [Check].
func Encode(labels []string) []byte {
	return []byte(strings.Join(labels, "\n") + "\n")
}

// Parse reads one label per line. It accepts a byte-order mark and CRLF. Errors name the path.
func Parse(path string, content []byte) ([]string, error) {
	text := strings.ReplaceAll(strings.TrimPrefix(string(content), byteOrderMark), "\r\n", "\n")
	labels := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if at, err := Check(labels); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", path, at+1, err)
	}
	return labels, nil
}

// Check returns the index of the first label that a file of labels cannot hold, and the reason as
// an error.
func Check(labels []string) (at int, err error) {
	if len(labels) == 0 {
		return 0, errors.New("there is no label: a model needs at least one")
	}
	seen := make(map[string]int, len(labels))
	for i, label := range labels {
		first, again := seen[label]
		switch {
		case label == "":
			return i, errors.New("the label is empty: give it a name")
		case strings.ContainsAny(label, "\r\n"):
			return i, fmt.Errorf("the label %q holds a line end: rename it", label)
		case strings.HasPrefix(label, byteOrderMark):
			return i, fmt.Errorf("the label %q begins with a byte-order mark: remove it", label)
		case again:
			return i, fmt.Errorf("the label %q is also on line %d: rename one", label, first+1)
		}
		seen[label] = i
	}
	return 0, nil
}
