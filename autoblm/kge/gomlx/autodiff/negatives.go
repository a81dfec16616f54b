package autodiff

import . "github.com/gomlx/gomlx/core/graph"

// negativeSampling returns the loss of [kge.Sampling] with the weights of [kge.SelfAdversarial],
// which have no gradient. Each block of questions has its negatives.
func (a asked) negativeSampling() *Node {
	blocks := a.in[inCandidates].Shape().Dim(0)
	shape := a.states.Shape()
	states := Reshape(a.states, blocks, -1, shape.Dim(1), shape.Dim(2))
	rows := lookUp(a.tables.entities, a.in[inCandidates]) // [blocks, n, d]
	allowed := a.in[inAllowed]
	scores := ReshapeWithShape(a.graphs().scores(a.pass, states, rows), allowed.Shape()) // [q, n]

	// Those of other entities are so low that they do not count, but finite.
	const low = -1e30
	scaled := Mul(StopGradient(scores), a.scalar(scalarTemperature))
	isAllowed := GreaterThan(allowed, ScalarZero(scores.Graph(), scores.DType()))
	scaled = Where(isAllowed, scaled, BroadcastToShape(Const(scores.Graph(), float32(low)), scaled.Shape()))
	weights := Mul(Exp(Sub(scaled, ReduceAndKeep(scaled, ReduceMax, 1))), allowed)
	const least = 1e-30 // of a sum: without negatives all weights are 0
	weights = Div(weights, MaxScalar(ReduceAndKeep(weights, ReduceSum, 1), least))

	margin := a.scalar(scalarMargin)
	ofNegatives := ReduceSum(Mul(weights, Softplus(Add(scores, margin))), 1)
	answers := a.pairs(a.in[inAnswers], a.in[inAnswerQuestions])
	ofAnswers := Softplus(Neg(Add(answers, margin)))
	return Add(ReduceAllSum(Mul(ofNegatives, a.in[inWeights])),
		ReduceAllSum(Mul(ofAnswers, a.in[inAnswerWeights])))
}
