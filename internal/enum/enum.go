// Package enum converts the values of an enumeration to names and back, and suggests names for
// unknown ones.
package enum

import (
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/internal/format"
)

// Name returns the name of a value, or "kind(value)" if it has none.
func Name[E ~int](names []string, kind string, value E) string {
	if value < 0 || int(value) >= len(names) {
		return fmt.Sprintf("%s(%d)", kind, int(value))
	}
	return names[value]
}

// Marshal returns the name of a value. A value without a name is an error.
func Marshal[E ~int](names []string, kind string, value E) ([]byte, error) {
	if value < 0 || int(value) >= len(names) {
		return nil, fmt.Errorf("%s has no name: use %s",
			Name(names, kind, value), format.List(names, "or"))
	}
	return []byte(names[value]), nil
}

// Unmarshal sets the value with a name.
func Unmarshal[E ~int](names []string, kind string, value *E, text []byte) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return Unknown(kind, string(text), names)
	}
	*value = E(i)
	return nil
}
