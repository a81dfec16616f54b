package completion

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

// answer is a triple in one direction. The relation is that of a path: 2k is relation k, 2k+1 its
// reverse.
type answer struct{ anchor, relation, target int32 }

// answersOf returns triples in both directions.
func answersOf(triples []datasets.Triple) []answer {
	answers := make([]answer, 0, 2*len(triples))
	for _, t := range triples {
		answers = append(answers, answer{t.Head, 2 * t.Relation, t.Tail},
			answer{t.Tail, 2*t.Relation + 1, t.Head})
	}
	return answers
}

func byQuestion(a, b answer) int {
	return cmp.Or(cmp.Compare(a.relation, b.relation), cmp.Compare(a.anchor, b.anchor))
}

func byAnswer(a, b answer) int {
	return cmp.Or(byQuestion(a, b), cmp.Compare(a.target, b.target))
}

// groupedBatches returns the batches of an epoch with the answers of a question in groups; see
// [kge.Settings.AnswersPerQuery]. Answers to the same question are adjacent in a batch.
func groupedBatches(g *datasets.Graph, s kge.Settings, rng *rand.Rand) kge.Batches {
	triples := g.Train
	answers := answersOf(triples)
	shuffle(rng, answers)
	slices.SortFunc(answers, byQuestion) // the answers of a question stay in random order
	groups := groupsOf(answers, s.AnswersPerQuery)
	shuffle(rng, groups)
	answers = slices.Concat(groups...)
	size := 2 * min(s.Batch, len(triples))
	answers = firstSteps(answers, size, s)
	for batch := range slices.Chunk(answers, size) {
		slices.SortFunc(batch, byAnswer)
	}
	return inBatches(answers, size, oneDirection)
}

// groupsOf splits sorted answers into groups of one question with a maximum size.
func groupsOf(answers []answer, maxSize int) (groups [][]answer) {
	for from := 0; from < len(answers); {
		n := 1
		for n < maxSize && from+n < len(answers) && byQuestion(answers[from], answers[from+n]) == 0 {
			n++
		}
		groups = append(groups, answers[from:from+n])
		from += n
	}
	return groups
}

func shuffle[T any](rng *rand.Rand, x []T) {
	rng.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
}

// oneDirection sets examples to answers, in one direction.
func oneDirection(examples []kge.Example, answers []answer) {
	for i, a := range answers {
		setExample(&examples[i], a.anchor, a.relation, a.target)
	}
}
