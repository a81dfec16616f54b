package enginetest

import (
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
)

// binaryLoss returns the mean over the queries of a batch of their binary cross entropy, as
// [kge.LossFunction] defines it, and of their penalties.
func (r *reference) binaryLoss(batch []kge.Example, step int) (loss float64) {
	n, smoothing := float64(len(r.data.Entities)), r.settings.LabelSmoothing
	for number, x := range batch {
		query := r.trainedQuery(x.Question, step, number)
		if r.settings.Dropout > 0 && !r.dropsInside() {
			r.drop(query, dropout.Key(r.member.Seed, step), number, r.settings.Dropout)
		}
		sum := 0.0
		for entity, score := range r.scores(query) {
			label := 0.0
			if slices.Contains(x.Targets, int32(entity)) {
				label = 1
			}
			if smoothing > 0 {
				label = (1-smoothing)*label + 1/n
			}
			sum += label*math.Log1p(math.Exp(-score)) + (1-label)*math.Log1p(math.Exp(score))
		}
		loss += float64(x.Weight)*sum/n + r.penalty(x)
	}
	return loss / float64(len(batch))
}
