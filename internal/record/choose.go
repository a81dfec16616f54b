package record

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Choose keeps what has a name that a regular expression matches, the value of a flag. Where
// none does, the error lists the names.
func Choose[T any](flag string, all []T, name func(T) string, pattern string) ([]T, error) {
	matching, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	var names []string
	for _, one := range all {
		names = append(names, name(one))
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !matching.MatchString(name(one)) })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("%s: nothing is called %q; there are %s", flag, pattern, strings.Join(names, ", "))
	}
	return chosen, nil
}

// Median is the middle number, or the mean of the middle two.
func Median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
