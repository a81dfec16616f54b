package enum

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// mostNear is how many names are suggested.
const mostNear = 3

// Near are up to three names that contain the given one or are contained in it, whatever
// the case of their letters, the shortest first; or, where there are none, those that are
// written alike, but for a slip or two.
func Near(names []string, name string) []string {
	if name == "" {
		return nil // every name contains it
	}
	near := containing(names, strings.ToLower(name))
	if len(near) == 0 {
		near = alike(names, strings.ToLower(name))
	}
	return near[:min(len(near), mostNear)]
}

func containing(names []string, lower string) (near []string) {
	for _, n := range names {
		candidate := strings.ToLower(n)
		if strings.Contains(candidate, lower) || len(candidate) > 3 && strings.Contains(lower, candidate) {
			near = append(near, n)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return len(a) - len(b) })
	return near
}

func alike(names []string, lower string) (near []string) {
	slips := 1 + utf8.RuneCountInString(lower)/4
	slips = min(slips, 3)
	found := map[string]int{}
	for _, n := range names {
		candidate := strings.ToLower(n)
		if longer := utf8.RuneCountInString(candidate) - utf8.RuneCountInString(lower); longer > slips || -longer > slips {
			continue
		}
		if d := levenshtein.ComputeDistance(candidate, lower); d <= slips && d < utf8.RuneCountInString(candidate) {
			near, found[n] = append(near, n), d
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(found[a], found[b]) })
	return near
}

// DidYouMean is "; did you mean …?", or "" where nothing is near.
func DidYouMean(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(near, ", "))
}

// UnknownError says that none of a kind has a name, and which names there are.
type UnknownError struct {
	Names []string
	Text  string
}

func (e *UnknownError) Error() string { return e.Text }

// Unknown is the error for a name that none of its kind has: it says which there are, and
// which one may have been meant.
func Unknown(kind, name string, names []string) error {
	suggestion := DidYouMean(Near(names, name))
	if suggestion == "" {
		suggestion = ":"
	}
	return &UnknownError{names, fmt.Sprintf("unknown %s %q%s use %s", kind, name, suggestion, alternatives(names))}
}
