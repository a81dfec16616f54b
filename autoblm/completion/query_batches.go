package completion

import (
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

// trainingQuery is a query of training triples with all of its answers, ascending. It embeds the
// first one.
type trainingQuery struct {
	answer
	targets []int32
}

// trainingQueries returns the queries of triples in both directions, by relation and anchor.
func trainingQueries(triples []datasets.Triple) (queries []trainingQuery) {
	answers := answersOf(triples)
	slices.SortFunc(answers, byAnswer)
	answers = slices.Compact(answers)
	targets := make([]int32, len(answers))
	for i, a := range answers {
		targets[i] = a.target
	}
	for _, group := range groupsOf(answers, len(answers)) {
		n := len(group)
		queries = append(queries, trainingQuery{group[0], targets[:n:n]})
		targets = targets[n:]
	}
	return queries
}

// queryBatches returns the batches of an epoch of queries in random order; see [kge.LossFunction].
// Within a batch, queries are sorted by relation.
func queryBatches(queries []trainingQuery, s kge.Settings, rng *rand.Rand) kge.Batches {
	order := slices.Clone(queries)
	shuffle(rng, order)
	order = firstSteps(order, s.Batch, s)
	for batch := range slices.Chunk(order, s.Batch) {
		slices.SortFunc(batch, func(a, b trainingQuery) int { return byQuestion(a.answer, b.answer) })
	}
	return inBatches(order, s.Batch, allTargets)
}

// allTargets sets examples to queries with all of their answers.
func allTargets(examples []kge.Example, queries []trainingQuery) {
	for i, q := range queries {
		x := &examples[i]
		x.Anchor, x.Path[0] = q.anchor, q.relation
		x.Target, x.Targets = q.target, q.targets
		x.Weight, x.BackWeight, x.FactWeight = 1, 0, 1
	}
}
