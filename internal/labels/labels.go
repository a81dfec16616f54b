// Package labels keeps labels in files, a line each, and writes them into errors: which
// there are, and which one may have been meant.
package labels

import (
	"fmt"
	"slices"
	"strings"
)

// Listed names up to a dozen labels.
func Listed(labels []string) string {
	const most = 12
	if len(labels) <= most {
		return strings.Join(labels, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(labels[:most], ", "), len(labels)-most)
}

// Near are up to three labels that contain the given one or are contained in it,
// whatever the case of their letters, the shortest first.
func Near(labels []string, label string) (near []string) {
	if label == "" {
		return nil // every label contains it
	}
	lower := strings.ToLower(label)
	for _, l := range labels {
		candidate := strings.ToLower(l)
		if strings.Contains(candidate, lower) || len(candidate) > 3 && strings.Contains(lower, candidate) {
			near = append(near, l)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return len(a) - len(b) })
	return near[:min(len(near), 3)]
}

// DidYouMean is "; did you mean …?", or "" where there is nothing to suggest.
func DidYouMean(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", Listed(near))
}

// Entity is the id of a model's entity; the error suggests others.
func Entity(labels []string, label string) (int32, error) {
	id := slices.Index(labels, label)
	if id < 0 {
		return 0, fmt.Errorf("the model has no entity %q%s", label, DidYouMean(Near(labels, label)))
	}
	return int32(id), nil
}
