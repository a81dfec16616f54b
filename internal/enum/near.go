package enum

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/autoblm/autoblm-go/internal/format"
)

// maxNear is the maximum number of suggestions.
const maxNear = 3

// Near returns up to three similar names: those that contain the given name or are contained in
// it, ignoring case, the shortest first. Without such names it returns those with a small edit
// distance.
func Near(names []string, name string) []string {
	const longest = 256 // bytes; a comparison takes longer for longer names
	if name == "" || len(name) > longest {
		return nil // every name contains the empty one
	}
	near := containing(names, strings.ToLower(name))
	if len(near) == 0 {
		near = misspelled(names, strings.ToLower(name))
	}
	return near[:min(len(near), maxNear)]
}

func containing(names []string, lower string) (near []string) {
	for _, n := range names {
		candidate := strings.ToLower(n)
		isPart := len(candidate) > 3 && strings.Contains(lower, candidate)
		if isPart || strings.Contains(candidate, lower) {
			near = append(near, n)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return len(a) - len(b) })
	return near
}

func misspelled(names []string, lower string) (near []string) {
	length := utf8.RuneCountInString(lower)
	maxDistance := min(1+length/4, 3)
	distances := map[string]int{}
	for _, n := range names {
		candidate := strings.ToLower(n)
		candidateLength := utf8.RuneCountInString(candidate)
		if longer := candidateLength - length; longer > maxDistance || -longer > maxDistance {
			continue
		}
		d := levenshtein.ComputeDistance(candidate, lower)
		if d <= maxDistance && d < candidateLength {
			near, distances[n] = append(near, n), d
		}
	}
	slices.SortStableFunc(near, func(a, b string) int {
		return cmp.Compare(distances[a], distances[b])
	})
	return near
}

// DidYouMean returns "; did you mean …?", or "" without suggestions.
func DidYouMean(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(near, ", "))
}

// UnknownError is the error for an unknown name. It holds that name and the known names.
type UnknownError struct {
	Name  string
	Names []string
	Text  string
}

func (e *UnknownError) Error() string { return e.Text }

// Unknown returns an error for an unknown name, with the known names and suggestions. An empty one
// is a default that nobody writes.
func Unknown(kind, name string, names []string) error {
	isEmpty := func(s string) bool { return s == "" }
	names = slices.DeleteFunc(slices.Clone(names), isEmpty)
	suggestion := DidYouMean(Near(names, name))
	if suggestion == "" {
		suggestion = ":"
	}
	text := fmt.Sprintf("unknown %s %q%s use %s", kind, name, suggestion, format.List(names, "or"))
	return &UnknownError{name, names, text}
}
