package record

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Choose returns the items whose name matches a regular expression, the value of a flag. Without a
// match, the error lists the names.
func Choose[T any](flag string, all []T, name func(T) string, pattern string) ([]T, error) {
	matching, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	var names []string
	for _, item := range all {
		names = append(names, name(item))
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(item T) bool {
		return !matching.MatchString(name(item))
	})
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("%s: there is nothing to choose from", flag)
	case len(chosen) == 0:
		return nil, fmt.Errorf("%s: no name matches %q; use one of %s",
			flag, pattern, strings.Join(names, ", "))
	}
	return chosen, nil
}

// Median returns the middle number, or the mean of the middle two.
func Median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
