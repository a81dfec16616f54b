// Package labels keeps labels in files, a line each, and writes them into errors: which
// there are, and which one may have been meant.
package labels

import (
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/internal/enum"
)

// List names up to a dozen labels.
func List(labels []string) string {
	const most = 12
	if len(labels) <= most {
		return strings.Join(labels, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(labels[:most], ", "), len(labels)-most)
}

// Entity is the id of a model's entity; the error suggests others.
func Entity(labels []string, label string) (int32, error) {
	id := slices.Index(labels, label)
	if id < 0 {
		return 0, fmt.Errorf("the model has no entity %q%s", label, enum.DidYouMean(enum.Near(labels, label)))
	}
	return int32(id), nil
}
