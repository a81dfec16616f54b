package completion

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// findAll finds the answers to lookups, in groups with the same candidates. Where a pass over all
// embeddings is needed anyway, or there are fullPass questions, groups join it whose own pass would
// take longer: a pass takes nearly as long for a few questions as for fullPass.
func (a *Answerer) findAll(ctx context.Context, groups [][]*lookup) error {
	const fullPass = 32 // questions
	n, total := len(a.model.EntityLabels), 0
	for _, work := range groups {
		total += len(work)
		if a.scores != nil && !a.isRestricted(work[0].c) {
			total = max(total, fullPass)
		}
	}
	var together []*lookup
	for _, work := range groups {
		c := work[0].c
		joins := total >= fullPass && len(c.ids)*max(len(work), fullPass) >= n*len(work)
		if a.scores != nil && (joins || !a.isRestricted(c)) {
			together = append(together, work...)
			continue
		}
		questions := make([]question, len(work))
		for i, l := range work {
			questions[i] = l.q
		}
		err := a.eachScores(ctx, c, questions, func(i int, scores []float32) { work[i].find(scores) })
		if err != nil {
			return err
		}
	}
	if len(together) == 0 {
		return nil
	}
	paths := make([]kge.Question, len(together))
	for i, l := range together {
		paths[i] = l.q.path()
	}
	return a.scores.all(n).Scores(ctx, 0, paths, func(i int, scores []float32) {
		together[i].find(together[i].c.of(scores))
	})
}
