package form

import "strings"

// Kind returns the name of the form without the numbers of its family, such as conve of conve-8-32-3.
func (f Form) Kind() string {
	kind, _, _ := strings.Cut(f.String(), "-")
	return kind
}
