package autodiff

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	. "github.com/gomlx/gomlx/core/graph"
)

// normalizedCore has the graphs of forms with cores and batch normalization, see
// [form.Form.WithNorm]. Training is on paths of one hop.
type normalizedCore struct{ core }

func (normalizedCore) averages() int { return form.NormMean }

// drops implements [dropping]: the normalization of inputs comes before their dropout.
func (normalizedCore) drops() (inputs, queries bool) { return true, false }

func (f normalizedCore) hop(c *pass, states *Node, h hop) *Node {
	before, after := f.norm(c, 0), f.norm(c, 1)
	states, meanBefore, varianceBefore := before.apply(c, states)
	states = InsertAxes(c.dropLayer(Squeeze(states, 1), keyOfInputs, scalarInputDropout), 1)
	states, meanAfter, varianceAfter := after.apply(c, f.core.hop(c, states, h))
	if c.training {
		c.averages = Concatenate([]*Node{meanBefore, meanAfter, varianceBefore, varianceAfter}, 0)
	}
	return states
}

// norm returns the normalization before a hop, or the one after it if side is 1.
func (normalizedCore) norm(c *pass, side int) batchNorm {
	row := func(i int) *Node { return Slice(c.globals[1], AxisElem(i+side)) }
	return batchNorm{
		gamma: row(form.NormGamma), beta: row(form.NormBeta), mean: row(form.NormMean),
		variance: row(form.NormVariance), epsilon: form.NormEpsilon, momentum: form.NormMomentum,
	}
}
