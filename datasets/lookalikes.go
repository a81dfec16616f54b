package datasets

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/autoblm/autoblm-go/internal/format"
	"golang.org/x/text/unicode/norm"
)

// NormalLabel returns a label without what is hard to see: in the normal form NFC, without spaces
// at its ends and characters without width, and with ordinary spaces for no-break ones. A label
// of nothing else stays.
func NormalLabel(label string) string {
	if isPlain(label) {
		return label
	}
	visible := strings.Map(func(r rune) rune {
		switch {
		case r == '\u00A0', r == '\u2007', r == '\u202F':
			return ' '
		case isInvisible(r):
			return -1
		}
		return r
	}, label)
	visible = norm.NFC.String(visible)
	var kept strings.Builder
	before := ' '
	for i, r := range visible {
		next, _ := utf8.DecodeRuneInString(visible[i+utf8.RuneLen(r):])
		if !isJoiner(r) || joins(before) && joins(next) {
			kept.WriteRune(r)
			before = r
		}
	}
	normal := norm.NFC.String(strings.TrimSpace(kept.String()))
	if normal == "" {
		return label
	}
	return normal
}

// isPlain reports whether a label is ASCII without spaces at its ends.
func isPlain(label string) bool {
	for i := range len(label) {
		if label[i] >= utf8.RuneSelf {
			return false
		}
	}
	return len(label) > 0 && label[0] > ' ' && label[len(label)-1] > ' '
}

// isInvisible reports whether a character has no width, or only sets the direction of writing.
func isInvisible(r rune) bool {
	switch {
	case r == '\u00AD', r == '\uFEFF', r == '\u200B', r == '\u200E', r == '\u200F':
		return true
	}
	return r >= '\u202A' && r <= '\u202E' || r >= '\u2060' && r <= '\u2069'
}

func isJoiner(r rune) bool { return r == '\u200C' || r == '\u200D' }

// joins reports whether a joiner next to the character can be seen, as in Persian and in emoji.
func joins(r rune) bool {
	isAccent := r >= '\u0300' && r <= '\u036F'
	return r >= utf8.RuneSelf && r != utf8.RuneError && !isJoiner(r) && !isAccent &&
		!unicode.IsSpace(r) && !unicode.Is(unicode.Latin, r)
}

// LookAlikes counts the labels of a kind, such as entity, that share their normal form with another
// label. It returns a text with the number and an example, or "" if there are none.
func LookAlikes(kind string, labels []string, normal func(label string) string) string {
	firsts := map[string]string{} // by normal label, of labels that are not normal
	for _, label := range labels {
		if normal := normal(label); normal != label {
			if _, found := firsts[normal]; !found {
				firsts[normal] = label
			}
		}
	}
	if len(firsts) == 0 {
		return ""
	}
	count, a, b := 0, "", ""
	for _, label := range labels {
		if first, found := firsts[normal(label)]; found && first != label {
			if count == 0 {
				a, b = first, label
			}
			count++
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("%s with a look-alike, such as %+q and %+q, which differ only in "+
		"invisible characters, outer spaces or the Unicode form",
		format.Count(count, kind+" label"), a, b)
}

// lookAlike warns if entities or relations look like others.
func (g *Graph) lookAlike() (warnings []string) {
	var found [2]string
	if facts := g.cache.known(g); facts != nil {
		found = facts.LookAlikes
	} else {
		found[0] = LookAlikes("entity", g.Entities, NormalLabel)
		found[1] = LookAlikes("relation", g.Relations, NormalLabel)
	}
	for _, text := range found {
		if text != "" {
			warnings = append(warnings, g.Name+" has "+text+": merge them with dataset import --normalize")
		}
	}
	return warnings
}

// normalized returns a graph with normal labels, of which equal ones become one, and the number of
// labels that changed.
func (g *Graph) normalized() (*Graph, int) {
	labels, changed := newLabels(), 0
	number := func(old []string, to *labelIDs) []int32 {
		ids := make([]int32, len(old))
		for i, label := range old {
			normal := NormalLabel(label)
			if normal != label {
				changed++
			}
			ids[i] = to.id(normal)
		}
		return ids
	}
	entities, relations := number(g.Entities, &labels.entities), number(g.Relations, &labels.relations)
	renamed := func(triples []Triple) (all []Triple) {
		for _, t := range triples {
			all = append(all, Triple{entities[t.Head], relations[t.Relation], entities[t.Tail]})
		}
		return all
	}
	normal := &Graph{
		Name: g.Name, warnings: g.warnings, Weights: g.Weights, times: g.times,
		Entities: labels.entities.labels, Relations: labels.relations.labels,
		Train: renamed(g.Train), Valid: renamed(g.Valid), Test: renamed(g.Test),
	}
	if g.falses != nil {
		normal.falses = map[string][]Triple{}
	}
	for split, triples := range g.falses {
		normal.falses[split] = renamed(triples)
	}
	normal.Types = g.Types.Renumber(len(normal.Entities), func(e int32) int32 { return entities[e] })
	return normal, changed
}
