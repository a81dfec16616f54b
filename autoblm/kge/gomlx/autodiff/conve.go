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
	maps := Reshape(f.convolve(c, image), n, rows*columns, f.Filters)
	maps = MaxScalar(normalize(maps, 1), 0)
	kept := c.dropLayer(OnesLike(Reshape(Slice(maps, AxisRange(), AxisElem(0)), n, f.Filters)),
		keyOfLayers, scalarFeatureDropout)
	maps = Mul(maps, InsertAxes(kept, 1))

	// Weights have the places of a map one after the other, maps the filters of a place: to move rows of
	// weights is faster than to move numbers of maps.
	weights := Reshape(c.globals[1], f.Filters, rows*columns, d)
	weights = Reshape(Transpose(weights, 0, 1), -1, d)
	query := Dot(Reshape(maps, n, -1), weights).General([]int{1}, nil, []int{0}, nil)
	query = c.dropLayer(query, keyOfQueries, scalarDropout)
	query = MaxScalar(normalize(Reshape(query, n, 1, d), 2), 0)
	if c.training {
		c.averages = f.table(c, append(means[:], variances[:]...))
	}
	return query
}

// convolve returns the convolution of images [questions, 2H, w], [questions·rows, columns·F]. It is one
// product of windows of S rows with a matrix that has the filters in each column. XLA is faster with
// it on a CPU, despite its zeros, than with windows as small as filters.
func (f convE) convolve(c *pass, images *Node) *Node {
	width := images.Shape().Dim(2)
	rows, columns := f.Maps(f.Height * width)
	var shifted []*Node
	for i := range f.Size {
		shifted = append(shifted, Slice(images, AxisRange(), AxisRange(i, i+rows)))
	}
	windows := Reshape(Concatenate(shifted, 2), -1, f.Size*width)
	places := Const(images.Graph(), f.places(width))
	matrix := Dot(places, c.globals[0]).General([]int{1}, nil, []int{1}, nil)
	return Dot(windows, Reshape(matrix, f.Size*width, columns*f.Filters)).
		General([]int{1}, nil, []int{0}, nil)
}

// places says which number of a filter meets a number of a window [S, w] in a column of a map: the rows
// are for [S, w, columns], with 1 at the number of the filter.
func (f convE) places(width int) [][]float32 {
	_, columns := f.Maps(f.Height * width)
	all := make([][]float32, 0, f.Size*width*columns)
	for i := range f.Size {
		for x := range width {
			for column := range columns {
				row := make([]float32, f.Size*f.Size)
				if j := x - column; j >= 0 && j < f.Size {
					row[i*f.Size+j] = 1
				}
				all = append(all, row)
			}
		}
	}
	return all
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
