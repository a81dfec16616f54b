package cpu

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// examplesPerQuery is the room of a unit with query grouping, in examples per query. Few graphs
// have more answers per query on average.
const examplesPerQuery = 4

// layout says how batches are divided into units.
type layout struct {
	maxQuestions, maxExamples int  // of a unit
	isGrouped                 bool // neighbouring examples can share a question
}

func newLayout(maxQueries int, o objective) layout {
	n := maxQueries / o.directions()
	if t, ok := o.(tripleObjective); ok && t.isGrouped {
		return layout{n, examplesPerQuery * n, true}
	}
	return layout{n, n, false}
}

// maxUnits returns the largest number of units for a batch of triples or questions.
func (l layout) maxUnits(batch int) int {
	if l.isGrouped {
		batch *= 2 // examples, one per direction of a triple
		return divideUp(batch, l.maxQuestions) + batch/l.maxExamples
	}
	return divideUp(batch, l.maxQuestions)
}

// divideUp returns n/size, rounded up.
func divideUp(n, size int) int { return (n + size - 1) / size }

// divide assigns a batch to units and returns those used. With grouping, units have equally
// many questions, except where a unit has too many examples. Without, numbers may have the number
// of each example.
func (l layout) divide(batch []kge.Example, numbers []int32, units []*unit) []*unit {
	questions := l.maxQuestions
	if l.isGrouped {
		count := 0
		for i := range batch {
			if !repeatsQuestion(batch, i) {
				count++
			}
		}
		questions = divideUp(count, divideUp(count, l.maxQuestions))
	}
	var u *unit
	used, start, question := 0, 0, -1
	for i := range batch {
		isNew := !l.isGrouped || !repeatsQuestion(batch, i)
		if isNew {
			question++
		}
		if u == nil || i-start == l.maxExamples || isNew && question-u.first == questions {
			u, start = units[used], i
			u.first, u.questions, u.numbers = question, u.questions[:0], nil
			used++
		}
		u.questions = append(u.questions, int32(question-u.first))
		u.examples = batch[start : i+1]
		if numbers != nil {
			u.numbers = numbers[start : i+1]
		}
	}
	return units[:used]
}

// repeatsQuestion reports whether an example has the question of the one before.
func repeatsQuestion(batch []kge.Example, i int) bool {
	return i > 0 && batch[i].Anchor == batch[i-1].Anchor &&
		slices.Equal(batch[i].Path, batch[i-1].Path)
}
