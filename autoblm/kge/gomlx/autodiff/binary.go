package autodiff

import . "github.com/gomlx/gomlx/core/graph"

// binary returns the weighted binary cross entropy of all entities, see [kge.LossFunction].
func (a asked) binary() *Node {
	entities := a.tables.entities
	scores := a.graphs().scores(a.pass, InsertAxes(a.states, 0), InsertAxes(entities, 0))
	scores = Squeeze(scores, 0) // [q, n]
	g, others := scores.Graph(), a.scalar(scalarOtherLabel)
	ofAll := ReduceMean(Sub(softplus(scores), Mul(scores, others)), 1)

	isAnswer := GreaterThan(a.in[inAnswerWeights], ScalarZero(g, scores.DType()))
	weights := Gather(a.in[inWeights], InsertAxes(a.in[inAnswerQuestions], -1))
	weights = Where(isAnswer, weights, ZerosLike(weights))
	ofAnswers := Mul(a.pairs(a.in[inAnswers], a.in[inAnswerQuestions]), weights)
	more := Sub(a.scalar(scalarAnswerLabel), others)
	ofAnswers = DivScalar(Mul(ReduceAllSum(ofAnswers), more), float64(entities.Shape().Dim(0)))
	return Sub(ReduceAllSum(Mul(ofAll, a.in[inWeights])), ofAnswers)
}

// softplus returns log(1 + exp(x)). XLA computes a logarithm on a CPU for several numbers at a time,
// but that of [Softplus], [Log1p], one by one.
func softplus(x *Node) *Node {
	return Add(MaxScalar(x, 0), Log(OnePlus(Exp(Neg(Abs(x))))))
}
