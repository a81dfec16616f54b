package autodiff

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	. "github.com/gomlx/gomlx/core/graph"
)

// taughtIn returns a teacher's answers to the questions of a part, and the largest number of entities
// of one, rounded up to a power of two. Without a teacher they are nil and 0.
func (t *trainee) taughtIn(p part) (answers []kge.Distribution, longest int) {
	if !t.settings.HasTeacher() {
		return nil, 0
	}
	for _, q := range p.questions[p.from:p.to] {
		answer := t.data.Teacher(q.Anchor, q.Path[0])
		answers, longest = append(answers, answer), max(longest, len(answer.Entities))
	}
	return answers, powerOfTwo(max(1, longest))
}

// addTaught adds a teacher's answers.
func addTaught(all *packed, answers []kge.Distribution) {
	entities, shares := all.integersOf(inTaught), all.floatsOf(inShares)
	for i := range shares.numbers {
		shares.numbers[i] = -1
	}
	for question, answer := range answers {
		for i, entity := range answer.Entities {
			entities.set(question, i, entity)
			shares.set(question, i, answer.Shares[i])
		}
	}
}

// learnFromTeacher returns the weighted loss of a teacher's answers, see [kge.Distillation].
func (a asked) learnFromTeacher() *Node {
	shares, temperature := a.in[inShares], a.scalar(scalarTeacherTemperature)
	rows := lookUp(a.tables.entities, a.in[inTaught]) // [q, t, d]
	scores := a.graphs().scores(a.pass, InsertAxes(a.states, 1), rows)
	scores = Div(Squeeze(scores, 1), temperature) // [q, t]
	isPadding := LessThan(shares, ScalarZero(shares.Graph(), shares.DType()))
	low := Const(scores.Graph(), float32(-1e30)) // finite, as an answer may be empty
	scores = Where(isPadding, BroadcastToShape(low, scores.Shape()), scores)
	shares = MaxScalar(shares, 0)

	ofQuestions := ReduceSum(Mul(shares, LogSoftmax(scores)), 1)
	return Mul(Neg(ReduceAllSum(Mul(ofQuestions, a.in[inWeights]))), Square(temperature))
}
