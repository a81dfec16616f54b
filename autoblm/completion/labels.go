package completion

import (
	"fmt"
	"slices"
	"strings"
)

// listed names up to a dozen labels.
func listed(labels []string) string {
	const most = 12
	if len(labels) <= most {
		return strings.Join(labels, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(labels[:most], ", "), len(labels)-most)
}

// suggestion is "; did you mean …?" with the labels that contain the given
// one or are contained in it, or "".
func suggestion(labels []string, label string) string {
	if label == "" {
		return "" // every label contains it
	}
	lower := strings.ToLower(label)
	var near []string
	for _, l := range labels {
		candidate := strings.ToLower(l)
		if strings.Contains(candidate, lower) || len(candidate) > 3 && strings.Contains(lower, candidate) {
			near = append(near, l)
		}
	}
	if len(near) == 0 {
		return ""
	}
	slices.SortFunc(near, func(a, b string) int { return len(a) - len(b) })
	return fmt.Sprintf("; did you mean %s?", listed(near[:min(len(near), 3)]))
}
