package autodiff

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// batch holds the examples of a step as questions with answers.
type batch struct {
	questions []kge.Question
	// answers to learn. Their weights sum to 1 for the examples of a batch on average.
	answers []weighted
	// ends are the answers that penalties apply to, each together with its question.
	ends []weighted
	// excluded has the answers that are no negatives, by question; nil without negatives.
	excluded [][]int32
}

// weighted is an entity of a question with a weight. Lists of them ascend by question.
type weighted struct {
	question int
	entity   int32
	weight   float32
	fact     float32 // the weight of the fact of an end
}

// newBatch makes the questions of examples.
func newBatch(d *kge.Data, s kge.Settings, examples []kge.Example) *batch {
	b := &batch{}
	weight := 1 / float32(len(examples))
	for i, x := range examples {
		switch {
		case !d.BothDirections, s.WalkHops > 0, s.Loss == kge.BCE:
			b.addPath(s, x, weight)
		case s.AnswersPerQuery > 0:
			b.addGrouped(x, i > 0 && sameQuestion(x, examples[i-1]), weight)
		default:
			b.addTriple(s, x, weight)
		}
	}
	if s.Negatives > 0 && d.BothDirections {
		for _, q := range b.questions {
			b.excluded = append(b.excluded, d.Answers(q.Anchor, q.Path[0]))
		}
	}
	return b
}

func sameQuestion(x, y kge.Example) bool {
	return x.Anchor == y.Anchor && slices.Equal(x.Path, y.Path)
}

func (b *batch) addAnswer(entity int32, weight float32) {
	b.answers = append(b.answers, weighted{question: len(b.questions) - 1, entity: entity, weight: weight})
}

func (b *batch) addEnd(entity int32, weight, fact float32) {
	b.ends = append(b.ends, weighted{len(b.questions) - 1, entity, weight, fact})
}

// addPath adds a question that learns all of its answers, or with negatives the drawn one.
func (b *batch) addPath(s kge.Settings, x kge.Example, weight float32) {
	b.questions = append(b.questions, x.Question)
	b.addEnd(x.Target, weight, x.FactWeight)
	if s.Negatives > 0 {
		b.excluded = append(b.excluded, x.Targets)
		b.addAnswer(x.Target, weight*x.Weight)
		return
	}
	for _, answer := range x.Targets {
		b.addAnswer(answer, weight*x.Weight/float32(len(x.Targets)))
	}
}

// addGrouped adds one direction of a triple to the question before, or as a new one.
func (b *batch) addGrouped(x kge.Example, same bool, weight float32) {
	if !same {
		b.questions = append(b.questions, x.Question)
	}
	b.addAnswer(x.Target, 2*weight*x.Weight) // two examples are a triple
	b.addEnd(x.Target, weight, x.FactWeight)
}

// addTriple adds a question for each end of a triple.
func (b *batch) addTriple(s kge.Settings, x kge.Example, weight float32) {
	penalized := weight
	if s.Reciprocal { // the mean of both directions
		penalized /= 2
	}
	b.questions = append(b.questions, x.Question)
	b.addAnswer(x.Target, weight*x.Weight)
	b.addEnd(x.Target, penalized, x.FactWeight)
	back := kge.Question{Anchor: x.Target, Path: []int32{x.Path[0] ^ 1}}
	b.questions = append(b.questions, back)
	b.addAnswer(x.Anchor, weight*x.BackWeight)
	if s.Reciprocal {
		b.addEnd(x.Anchor, penalized, x.FactWeight)
	}
}

// within returns the entries of a list for a range of questions.
func within(list []weighted, from, to int) []weighted {
	before := func(x weighted, question int) int { return x.question - question }
	start, _ := slices.BinarySearchFunc(list, from, before)
	end, _ := slices.BinarySearchFunc(list, to, before)
	return list[start:end]
}
