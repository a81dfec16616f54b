package autodiff

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// softmax returns the weighted cross entropy of the answers. Each of the candidates, if they are a
// sample, stands for several entities.
func (a asked) softmax(of candidates) *Node {
	among := a.tables.entities
	if of == sampled {
		among = lookUp(among, Squeeze(a.in[inCandidates], 0))
	}
	scores := a.graphs().scores(a.pass, InsertAxes(a.states, 0), InsertAxes(among, 0))
	scores = Squeeze(scores, 0) // [q, n]
	answers := a.pairs(a.in[inAnswers], a.in[inAnswerQuestions])
	questions := InsertAxes(a.in[inAnswerQuestions], -1)

	highest := ReduceMax(StopGradient(scores), 1) // [q]
	var included *Node                            // scores of answers that are no candidates, [a]
	if of == sampled {
		isIncluded := GreaterThan(a.in[inIncluded], ScalarZero(scores.Graph(), scores.DType()))
		none := BroadcastToShape(Const(scores.Graph(), float32(math.Inf(-1))), answers.Shape())
		included = Where(isIncluded, answers, none)
		highest = ScatterMax(highest, questions, StopGradient(included), false, false)
	}
	total := ReduceSum(Exp(Sub(scores, InsertAxes(highest, -1))), 1)
	if of == sampled {
		total = Mul(total, a.scalar(scalarRepeats))
		shifted := Sub(included, Gather(highest, questions))
		total = Add(total, ScatterSum(ZerosLike(total), questions, Exp(shifted), false, false))
	}
	logTotal := Add(Log(total), highest)
	return Sub(ReduceAllSum(Mul(logTotal, a.in[inWeights])),
		ReduceAllSum(Mul(answers, a.in[inAnswerWeights])))
}
