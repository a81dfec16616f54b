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
	// isWhole keeps the examples of a question in one unit: the sum of a sampled softmax has all of
	// the question's answers. Only if several groups of a question meet in a batch can they be more
	// than maxExamples; the sum of each unit then lacks the answers of the others that are not drawn.
	isWhole bool
}

func newLayout(maxQueries int, o objective, s kge.Settings) layout {
	n := maxQueries / o.directions()
	t, ok := o.(tripleObjective)
	if !ok || !t.isGrouped {
		return layout{maxQuestions: n, maxExamples: n}
	}
	l := layout{maxQuestions: n, maxExamples: examplesPerQuery * n, isGrouped: true}
	if s.SampledSoftmax > 0 {
		l.isWhole = true
		l.maxExamples = max(l.maxExamples, min(s.AnswersPerQuery, 2*s.Batch))
	}
	return l
}

// maxUnits returns the largest number of units for a batch of triples or questions. With isWhole, a
// full unit and the next one have more than maxExamples together.
func (l layout) maxUnits(batch int) int {
	if l.isGrouped {
		batch *= 2 // examples, one per direction of a triple
	}
	units := divideUp(batch, l.maxQuestions)
	switch {
	case l.isWhole:
		units += 1 + 2*batch/l.maxExamples
	case l.isGrouped:
		units += batch / l.maxExamples
	}
	return units
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
		isFull := i-start == l.maxExamples
		if l.isWhole && isNew {
			isFull = i-start+answersFrom(batch, i) > l.maxExamples
		}
		if u == nil || isFull || isNew && question-u.first == questions {
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

// answersFrom returns the number of examples, from one on, that have its question.
func answersFrom(batch []kge.Example, i int) int {
	n := 1
	for i+n < len(batch) && repeatsQuestion(batch, i+n) {
		n++
	}
	return n
}

// repeatsQuestion reports whether an example has the question of the one before.
func repeatsQuestion(batch []kge.Example, i int) bool {
	return i > 0 && batch[i].Anchor == batch[i-1].Anchor &&
		slices.Equal(batch[i].Path, batch[i-1].Path)
}
