package autodiff

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	. "github.com/gomlx/gomlx/core/graph"
)

// convE has the graphs of [form.ConvE].
type convE struct {
	products
	form.ConvE
}

func (convE) averages() int { return form.ConvEMean }

func (convE) drops() (inputs, queries bool) { return true, true }

// layers is the number of normalized layers.
const layers = form.ConvEBeta - form.ConvEGamma

func (f convE) hop(c *pass, states *Node, h hop) *Node {
	n, d := states.Shape().Dim(0), states.Shape().Dim(2)
	rows, columns := f.Maps(d)
	var means, variances [layers]*Node
	normalize := func(x *Node, layer int) (normalized *Node) { // [samples, questions, numbers]
		normalized, means[layer], variances[layer] = f.norm(c, layer, x.Shape().Dim(2)).apply(c, x)
		return normalized
	}

	image := Concatenate([]*Node{Reshape(states, n, d), Reshape(h.rows[0], n, d)}, 1)
	image = Reshape(normalize(Reshape(image, n, 2*d, 1), 0), n, 2*d)
	image = Reshape(c.dropLayer(image, keyOfInputs, scalarInputDropout), n, 2*f.Height, d/f.Height)
	var shifted []*Node // by number of a filter
	for i := range f.Size {
		for j := range f.Size {
			part := Slice(image, AxisRange(), AxisRange(i, i+rows), AxisRange(j, j+columns))
			shifted = append(shifted, Reshape(part, n, rows*columns, 1))
		}
	}
	maps := Dot(Concatenate(shifted, 2), c.globals[0]).General([]int{2}, nil, []int{1}, nil)
	maps = Transpose(MaxScalar(normalize(maps, 1), 0), 1, 2) // [questions, filters, area]
	kept := c.dropLayer(OnesLike(Reshape(Slice(maps, AxisRange(), AxisRange(), AxisElem(0)), n, f.Filters)),
		keyOfLayers, scalarFeatureDropout)
	maps = Mul(maps, InsertAxes(kept, -1))

	query := Dot(Reshape(maps, n, -1), c.globals[1]).General([]int{1}, nil, []int{0}, nil)
	query = c.dropLayer(query, keyOfQueries, scalarDropout)
	query = MaxScalar(normalize(Reshape(query, n, 1, d), 2), 0)
	if c.training {
		c.averages = f.table(c, append(means[:], variances[:]...))
	}
	return query
}

// norm returns the normalization of a layer, whose numbers are the first ones of rows.
func (convE) norm(c *pass, layer, numbers int) batchNorm {
	row := func(first int) *Node {
		return Slice(c.globals[2], AxisElem(first+layer), AxisRange(0, numbers))
	}
	return batchNorm{
		gamma: row(form.ConvEGamma), beta: row(form.ConvEBeta), mean: row(form.ConvEMean),
		variance: row(form.ConvEVariance), epsilon: form.NormEpsilon, momentum: form.NormMomentum,
	}
}

// table returns the rows of averages of the table of batch normalization. Numbers that no layer has
// stay as they are.
func (convE) table(c *pass, rows []*Node) *Node {
	norms := c.globals[2]
	var all []*Node
	for i, x := range rows {
		// XLA rejects slices that begin at the end.
		if used := x.Shape().Dim(1); used < norms.Shape().Dim(1) {
			rest := Slice(norms, AxisElem(form.ConvEMean+i), AxisRange(used))
			x = Concatenate([]*Node{x, StopGradient(rest)}, 1)
		}
		all = append(all, x)
	}
	return Concatenate(all, 0)
}
