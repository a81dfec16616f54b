package completion

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

// answer is a triple one way. The relation is that of a path: 2k is relation k, 2k+1 its reverse.
type answer struct{ anchor, relation, target int32 }

func byQuestion(a, b answer) int {
	return cmp.Or(cmp.Compare(a.relation, b.relation), cmp.Compare(a.anchor, b.anchor))
}

func byAnswer(a, b answer) int {
	return cmp.Or(byQuestion(a, b), cmp.Compare(a.target, b.target))
}

// together are the batches of an epoch in which the answers of a question come in lots; see
// [kge.Settings.AnswersPerQuery]. Those of a batch that ask the same are neighbours.
func together(triples []datasets.Triple, s kge.Settings, rng *rand.Rand) [][]kge.Example {
	answers := make([]answer, 0, 2*len(triples))
	for _, t := range triples {
		answers = append(answers, answer{t.Head, 2 * t.Relation, t.Tail}, answer{t.Tail, 2*t.Relation + 1, t.Head})
	}
	shuffle(rng, answers)
	slices.SortFunc(answers, byQuestion) // and by chance among those of one question
	lots := lotsOf(answers, s.AnswersPerQuery)
	shuffle(rng, lots)
	answers = slices.Concat(lots...)
	size := 2 * min(s.Batch, len(triples))
	if s.MaxSteps > 0 && s.MaxSteps <= (len(answers)-1)/size { // the product below cannot overflow
		answers = answers[:s.MaxSteps*size]
	}
	for batch := range slices.Chunk(answers, size) {
		slices.SortFunc(batch, byAnswer)
	}
	return slices.Collect(slices.Chunk(oneWay(answers), size))
}

// lotsOf cuts sorted answers to lots of one question, of so many at most.
func lotsOf(answers []answer, most int) (lots [][]answer) {
	for from := 0; from < len(answers); {
		n := 1
		for n < most && from+n < len(answers) && byQuestion(answers[from], answers[from+n]) == 0 {
			n++
		}
		lots = append(lots, answers[from:from+n])
		from += n
	}
	return lots
}

func shuffle[T any](rng *rand.Rand, x []T) {
	rng.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
}

// oneWay are examples without a way back.
func oneWay(answers []answer) []kge.Example {
	ids := make([]int32, 0, 2*len(answers)) // the paths and the targets of all
	examples := make([]kge.Example, len(answers))
	for i, a := range answers {
		ids = append(ids, a.relation, a.target)
		own := ids[len(ids)-2:]
		examples[i] = kge.Example{Question: kge.Question{Anchor: a.anchor, Path: own[:1:1]}, Target: a.target, Targets: own[1:2:2], Weight: 1}
	}
	return examples
}
