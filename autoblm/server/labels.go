package server

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// labelIndex finds entities by their label or a part of it.
type labelIndex struct {
	labels []string
	folded func() []string
}

func newLabelIndex(labels []string) *labelIndex {
	return &labelIndex{
		labels: labels,
		folded: sync.OnceValue(func() []string {
			folded := make([]string, len(labels))
			for id, label := range labels {
				folded[id] = fold(label)
			}
			return folded
		}),
	}
}

// fold returns a text in lower case without accents. It is the text itself if nothing changes.
func fold(text string) string {
	for _, r := range text {
		if r < utf8.RuneSelf {
			continue
		}
		text = withoutStrokes.Replace(strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFKD.String(text)))
		break
	}
	return strings.ToLower(text)
}

// withoutStrokes replaces Latin letters that Unicode does not decompose.
var withoutStrokes = strings.NewReplacer("ł", "l", "Ł", "l", "ø", "o", "Ø", "o", "đ", "d", "Đ", "d",
	"ð", "d", "Ð", "d", "ħ", "h", "Ħ", "h", "ı", "i", "ŧ", "t", "Ŧ", "t", "þ", "th", "Þ", "th",
	"ß", "ss", "ẞ", "ss", "æ", "ae", "Æ", "ae", "œ", "oe", "Œ", "oe")

// match is an entity that contains a text.
type match struct {
	id     int32
	place  int // 0 for a label that begins with the text, 1 for a word in it, 2 otherwise
	length int
}

// search returns labels that contain a text in any case, with or without accents: first those that
// begin with it, then those with a word that does, the shortest first. total counts all matches.
func (x *labelIndex) search(text string, limit int) (found []string, total int) {
	text = fold(text)
	var best []match // in order, at most limit
	for id, label := range x.folded() {
		at := strings.Index(label, text)
		if at < 0 {
			continue
		}
		total++
		m := match{int32(id), placeOf(label, at), len(label)}
		i, _ := slices.BinarySearchFunc(best, m, compareMatches)
		if i < limit {
			best = slices.Insert(best, i, m)
			best = best[:min(len(best), limit)]
		}
	}
	for _, m := range best {
		found = append(found, x.labels[m.id])
	}
	return found, total
}

func placeOf(label string, at int) int {
	if at == 0 {
		return 0
	}
	if before, _ := utf8.DecodeLastRuneInString(label[:at]); strings.ContainsRune(" _-./:#,(", before) {
		return 1
	}
	return 2
}

func compareMatches(a, b match) int {
	return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.length, b.length),
		cmp.Compare(a.id, b.id))
}
