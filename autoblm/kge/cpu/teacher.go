package cpu

import (
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// learnFromTeacher returns the loss of a teacher's answers, see [kge.Distillation]. It adds the
// gradients with respect to the queries, and keeps pairs for those of the entities. weight is that
// of an example.
func (t *trainer) learnFromTeacher(s *scratch, u *unit, a *activeUnit, weight float32) (loss float64) {
	softmax := a.overEntities
	rows := t.questions(u, a) * t.stateRows
	copy(first(u.queries, rows), first(softmax.Rows, rows)) // another unit may overwrite those
	temperature := t.settings.Temperature
	weight *= float32(t.settings.TeacherWeight * temperature * temperature)
	for i := 0; i < a.count; {
		x, question, sum := &u.examples[i], u.questions[i], float32(0)
		for i < a.count && u.questions[i] == question {
			sum += u.examples[i].Weight
			i++
		}
		loss += t.learnAnswer(s, u, a, question, x.Anchor, x.Path[0], weight*sum)
		if !t.layout.isGrouped && !t.reciprocal {
			back := int32(a.count) + question
			loss += t.learnAnswer(s, u, a, back, x.Target, x.Path[0]^1, weight*x.BackWeight)
		}
	}
	return loss
}

// learnAnswer returns the loss of the teacher's answer to a question, which asks for the entities at
// a relation from an anchor.
func (t *trainer) learnAnswer(
	s *scratch, u *unit, a *activeUnit, question, anchor, relation int32, weight float32,
) float64 {
	answer := t.objective.(tripleObjective).teacher(anchor, relation)
	if len(answer.Entities) == 0 {
		return 0
	}
	softmax, temperature, scores := a.overEntities, t.settings.Temperature, s.scores[:0]
	query := softmax.QueryRows(softmax.Rows, int(question))
	gradient := softmax.QueryRows(softmax.ByQuery, int(question))
	for _, entity := range answer.Entities {
		row := tiles.PaddedRow(t.entities.Table, int(entity))
		scores = append(scores, t.kernels.Dot(query, row, &s.lanes)/temperature)
	}
	s.scores = scores
	highest, sum := slices.Max(scores), 0.0
	for _, score := range scores {
		sum += math.Exp(score - highest)
	}
	logSum, loss := highest+math.Log(sum), 0.0
	for i, entity := range answer.Entities {
		share, logProbability := answer.Shares[i], scores[i]-logSum
		loss -= float64(share) * logProbability
		slope := weight * (float32(math.Exp(logProbability)) - share) / float32(temperature)
		row := tiles.PaddedRow(t.entities.Table, int(entity))
		t.kernels.ScaleAdd(gradient, row, slope)
		u.pairs = append(u.pairs, pair{entity, question, slope})
	}
	return float64(weight) * loss
}
