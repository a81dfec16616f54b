package cpu

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// answersOfQuery is how many examples a unit has room for by each query, where they share
// questions. Few graphs have more on average.
const answersOfQuery = 4

// layout is how batches are cut into units.
type layout struct {
	questions, examples int  // of a unit, at most
	shared              bool // questions are, by examples that are neighbours
}

func newLayout(mostQueries int, of lesson) layout {
	n := mostQueries / of.ways()
	if l, is := of.(triples); is && l.oneWay {
		return layout{n, answersOfQuery * n, true}
	}
	return layout{n, n, false}
}

// units is how many a batch of so many triples or questions is cut into at most.
func (l layout) units(batch int) int {
	if l.shared {
		batch *= 2 // answers
		return pieces(batch, l.questions) + batch/l.examples
	}
	return pieces(batch, l.questions)
}

// pieces is how many of a size n is cut into.
func pieces(n, size int) int { return (n + size - 1) / size }

// cut deals a batch to as many of the units as it takes. Where questions are shared, each has
// equally many, but for one whose examples are too many.
func (l layout) cut(batch []kge.Example, units []*unit) []*unit {
	each := l.questions
	if l.shared {
		asked := 0
		for i := range batch {
			if !again(batch, i) {
				asked++
			}
		}
		each = pieces(asked, pieces(asked, l.questions))
	}
	var u *unit
	used, from, question := 0, 0, -1
	for i := range batch {
		fresh := !l.shared || !again(batch, i)
		if fresh {
			question++
		}
		if u == nil || i-from == l.examples || fresh && question-u.first == each {
			u, from = units[used], i
			u.first, u.questions = question, u.questions[:0]
			used++
		}
		u.questions = append(u.questions, int32(question-u.first))
		u.examples = batch[from : i+1]
	}
	return units[:used]
}

// again says whether an example asks the question of the one before.
func again(batch []kge.Example, i int) bool {
	return i > 0 && batch[i].Anchor == batch[i-1].Anchor && slices.Equal(batch[i].Path, batch[i-1].Path)
}
