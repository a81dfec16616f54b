package server

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// labelIndex finds entities by their label or a part of it.
type labelIndex struct {
	labels []string
	ids    func() map[string]int32
	lower  func() []string
}

func newLabelIndex(labels []string) *labelIndex {
	return &labelIndex{
		labels: labels,
		ids: sync.OnceValue(func() map[string]int32 {
			ids := make(map[string]int32, len(labels))
			for id, label := range labels {
				ids[label] = int32(id)
			}
			return ids
		}),
		lower: sync.OnceValue(func() []string {
			lower := make([]string, len(labels))
			for id, label := range labels {
				lower[id] = strings.ToLower(label) // label itself if nothing changes
			}
			return lower
		}),
	}
}

// match is an entity that contains a text.
type match struct {
	id     int32
	place  int // 0 for a label that begins with the text, 1 for a word in it, 2 otherwise
	length int
}

// search returns labels that contain a text in any case: first those that begin with it, then those
// with a word that does, the shortest first. total counts all matches.
func (x *labelIndex) search(text string, limit int) (found []string, total int) {
	text = strings.ToLower(text)
	var best []match // in order, at most limit
	for id, label := range x.lower() {
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
