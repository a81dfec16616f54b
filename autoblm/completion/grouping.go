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

func byQuestion(a, b answer) int {
	return cmp.Or(cmp.Compare(a.relation, b.relation), cmp.Compare(a.anchor, b.anchor))
}

func byAnswer(a, b answer) int {
	return cmp.Or(byQuestion(a, b), cmp.Compare(a.target, b.target))
}

// groupedBatches returns the batches of an epoch with the answers of a question in groups; see
// [kge.Settings.AnswersPerQuery]. Answers to the same question are adjacent in a batch.
func groupedBatches(triples []datasets.Triple, s kge.Settings, rng *rand.Rand) [][]kge.Example {
	answers := make([]answer, 0, 2*len(triples))
	for _, t := range triples {
		answers = append(answers, answer{t.Head, 2 * t.Relation, t.Tail},
			answer{t.Tail, 2*t.Relation + 1, t.Head})
	}
	shuffle(rng, answers)
	slices.SortFunc(answers, byQuestion) // the answers of a question stay in random order
	groups := groupsOf(answers, s.AnswersPerQuery)
	shuffle(rng, groups)
	answers = slices.Concat(groups...)
	size := 2 * min(s.Batch, len(triples))
	if s.MaxSteps > 0 && s.MaxSteps <= (len(answers)-1)/size { // without overflow below
		answers = answers[:s.MaxSteps*size]
	}
	for batch := range slices.Chunk(answers, size) {
		slices.SortFunc(batch, byAnswer)
	}
	return slices.Collect(slices.Chunk(oneDirection(answers), size))
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

// oneDirection returns answers as examples in one direction.
func oneDirection(answers []answer) []kge.Example {
	ids := make([]int32, 0, 2*len(answers)) // paths and targets of all examples
	examples := make([]kge.Example, len(answers))
	for i, a := range answers {
		ids = append(ids, a.relation, a.target)
		pair := ids[len(ids)-2:]
		examples[i] = kge.Example{
			Question: kge.Question{Anchor: a.anchor, Path: pair[:1:1]},
			Target:   a.target, Targets: pair[1:2:2], Weight: 1,
		}
	}
	return examples
}
