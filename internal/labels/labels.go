// Package labels stores labels in files, one per line, and suggests labels in errors.
package labels

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/autoblm/autoblm-go/internal/enum"
)

// List joins up to a dozen labels.
func List(labels []string) string {
	const most = 12
	if len(labels) <= most {
		return strings.Join(labels, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(labels[:most], ", "), len(labels)-most)
}

// Entity returns the id of a model's entity. The error suggests similar labels.
func Entity(labels []string, label string) (int32, error) {
	id := slices.Index(labels, label)
	if id < 0 {
		suggestion := enum.DidYouMean(enum.Near(labels, label))
		return 0, fmt.Errorf("the model has no entity %q%s", label, suggestion)
	}
	return int32(id), nil
}

// Index returns the ids of labels. Of equal labels, it has the last id.
func Index(labels []string) map[string]int32 {
	ids := make(map[string]int32, len(labels))
	for id, label := range labels {
		ids[label] = int32(id)
	}
	return ids
}

// Word returns a label as the word of a word2vec file, which cannot have white space: each becomes
// "_".
func Word(label string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, label)
}
