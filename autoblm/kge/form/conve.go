package form

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// ConvE scores by ⟨f(vec(f([h; r] * ω)) W), t⟩ (Dettmers et al., 2018, Equation 1). [h; r] is an image
// of 2H rows, in which the relation is below the head, * ω a convolution with F filters of size S×S
// without padding, vec the maps one after the other, and f the rectifier max(x, 0). Batch
// normalization (Ioffe and Szegedy, 2015) follows the image, each map and the product with W, as in
// the authors' program. Biases before a normalization have no effect and are left out, and so is the
// bias of each entity, which the paper does not have.
type ConvE struct{ Height, Filters, Size int }

// DefaultConvE has the sizes of the authors, for embeddings of dimension 200.
var DefaultConvE = ConvE{Height: 20, Filters: 32, Size: 3}

// convE is the form of ConvE. Because only some engines train it, it is not in [All].
type convE struct {
	noStructure
	ConvE
}

const convEPrefix = "conve"

// Form returns the form with the sizes.
func (c ConvE) Form() Form {
	name := convEPrefix
	if c != DefaultConvE {
		name = fmt.Sprintf("%s-%d-%d-%d", name, c.Height, c.Filters, c.Size)
	}
	return Form{convE{noStructure{name}, c}}
}

// ConvE returns the sizes of a form that is ConvE.
func (f Form) ConvE() (sizes ConvE, ok bool) {
	c, ok := f.spec.(convE)
	return c.ConvE, ok
}

// parseConvE returns the form with a name, such as conve-8-32-3.
func parseConvE(name string) (f Form, ok bool) {
	c := DefaultConvE
	if numbers, found := strings.CutPrefix(name, convEPrefix+"-"); found {
		for i, to := range []*int{&c.Height, &c.Filters, &c.Size} {
			number, rest, more := strings.Cut(numbers, "-")
			n, err := strconv.Atoi(number)
			if err != nil || n < 1 || n > 1<<16 || more != (i < 2) {
				return Form{}, false
			}
			*to, numbers = n, rest
		}
	}
	f = c.Form()
	return f, f.String() == name
}

// leastDim returns the smallest dimension whose images have as many columns as filters.
func (c ConvE) leastDim() int { return c.Height * c.Size }

// check returns an error if images of embeddings of a dimension are smaller than filters.
func (c ConvE) check(dim int) error {
	sizes := "sizes as in conve-8-32-3, for 8 rows, 32 filters and size 3"
	switch {
	case 2*c.Height < c.Size:
		return fmt.Errorf("an image of %d rows is smaller than filters of size %d: choose other %s",
			2*c.Height, c.Size, sizes)
	case dim < c.leastDim():
		return fmt.Errorf("an embedding of dimension %d is an image of %d rows and %d columns, smaller than "+
			"filters of size %d: choose a dim of at least %d, or other %s",
			dim, c.Height, dim/c.Height, c.Size, c.leastDim(), sizes)
	}
	return nil
}

// Maps returns the number of rows and columns of a map.
func (c ConvE) Maps(dim int) (rows, columns int) {
	return 2*c.Height - c.Size + 1, dim/c.Height - c.Size + 1
}

// The rows of the table of batch normalization of ConvE, each for three layers: the image, whose
// numbers are in the first column, the maps, with one column each, and queries.
const (
	ConvEGamma    = 0
	ConvEBeta     = 3
	ConvEMean     = 6
	ConvEVariance = 9
	ConvENormRows = 12
)

// Tables has the relations, the filters [F, S·S], the weights W [F·maps, d] and the numbers of batch
// normalization. Filters and weights begin as in PyTorch, uniformly within 1/√n for n inputs.
func (f convE) Tables(dim int) []Table {
	rows, columns := f.Maps(dim)
	inputs := f.Filters * max(1, rows) * max(1, columns)
	uniform := func(inputs int) func(*rand.Rand, int, float64) float64 {
		return func(rng *rand.Rand, _ int, _ float64) float64 {
			return (2*rng.Float64() - 1) / math.Sqrt(float64(inputs))
		}
	}
	area := f.Size * f.Size
	return append(oneRow(dim),
		Table{Name: "filters", Rows: f.Filters, Columns: area, Global: true, Draw: uniform(area)},
		Table{Name: "weights", Rows: inputs, Columns: dim, Global: true, Draw: uniform(inputs)},
		Table{Name: normTable, Rows: ConvENormRows, Columns: max(dim, f.Filters), Global: true,
			Draw: func(_ *rand.Rand, row int, _ float64) float64 {
				if row < ConvEBeta || row >= ConvEVariance {
					return 1
				}
				return 0
			}})
}

func (f convE) Multiple() int { return f.Height }

func (convE) Capabilities() Capabilities { return Capabilities{StateRows: 1, Products: true} }

// convolved holds the layers of a query: the maps and the product with W, both normalized, before
// the rectifier.
type convolved struct{ maps, query []float64 }

// convolve computes the layers of queries with moving averages. globals has the tables after that of
// relations.
func convolve[T float32 | float64](
	f ConvE, heads, relations [][]float64, globals [][]T,
) []convolved {
	all := make([]convolved, len(heads))
	maps, queries := make([][]float64, len(heads)), make([][]float64, len(heads))
	for i, head := range heads {
		all[i] = convolved{convEMaps(f, head, relations[i], globals), make([]float64, len(head))}
		maps[i], queries[i] = rectified(all[i].maps), all[i].query
	}
	addProducts(queries, maps, globals[1])
	for _, c := range all {
		for n, x := range c.query {
			factor, offset := convENorm(globals[2], 2, n)
			c.query[n] = factor*x + offset
		}
	}
	return all
}

// convEMaps returns the maps of a query.
func convEMaps[T float32 | float64](f ConvE, head, relation []float64, globals [][]T) []float64 {
	d := len(head)
	filters, norms := globals[0], globals[2]
	rows, columns := f.Maps(d)
	width := d / f.Height
	factor, offset := convENorm(norms, 0, 0)
	image := make([]float64, 0, 2*d)
	for _, x := range slices.Concat(head, relation) {
		image = append(image, factor*x+offset)
	}
	maps := make([]float64, 0, f.Filters*rows*columns)
	for k := range f.Filters {
		filter := filters[k*f.Size*f.Size:][:f.Size*f.Size]
		factor, offset := convENorm(norms, 1, k)
		for i := range rows {
			for j := range columns {
				sum := 0.0
				for row := range f.Size {
					covered := image[(i+row)*width+j:][:f.Size]
					for column, w := range filter[row*f.Size:][:f.Size] {
						sum += float64(w) * covered[column]
					}
				}
				maps = append(maps, factor*sum+offset)
			}
		}
	}
	return maps
}

// convENorm returns the affine map of a number of a layer by moving averages.
func convENorm[T float32 | float64](norms []T, layer, i int) (factor, offset float64) {
	columns := len(norms) / ConvENormRows
	at := func(row int) float64 { return float64(norms[(row+layer)*columns+i]) }
	factor = at(ConvEGamma) / math.Sqrt(max(0, at(ConvEVariance))+NormEpsilon)
	return factor, at(ConvEBeta) - factor*at(ConvEMean)
}

func (f convE) DefineHop(
	_ structure.Structure, state []float64, relations [][]float64, _ bool,
) []float64 {
	return rectified(convolve(f.ConvE, [][]float64{state}, relations[:1], relations[1:])[0].query)
}

// Hops implements [Neural]. ConvE has no transpose.
func (f ConvE) Hops(
	heads, relations [][]float64, _ bool, globals [][]float32,
) (states [][]float64) {
	for _, c := range convolve(f, heads, relations, globals) {
		states = append(states, rectified(c.query))
	}
	return states
}

func rectified(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = max(0, v)
	}
	return y
}

// AnchorGradient implements [Neural].
func (f ConvE) AnchorGradient(
	head, relation []float64, _ bool, globals [][]float32, byQuery []float64,
) []float64 {
	d := len(head)
	filters, weights, norms := globals[0], globals[1], globals[2]
	c := convolve(f, [][]float64{head}, [][]float64{relation}, globals)[0]
	byProduct := make([]float64, d)
	for n, x := range c.query {
		if factor, _ := convENorm(norms, 2, n); x > 0 {
			byProduct[n] = byQuery[n] * factor
		}
	}
	rows, columns := f.Maps(d)
	width, area := d/f.Height, f.Size*f.Size
	byImage := make([]float64, 2*d)
	for m, x := range c.maps {
		if x <= 0 {
			continue
		}
		sum := 0.0
		for n, w := range weights[m*d:][:d] {
			sum += byProduct[n] * float64(w)
		}
		k, i, j := m/(rows*columns), m/columns%rows, m%columns
		factor, _ := convENorm(norms, 1, k)
		for at, w := range filters[k*area:][:area] {
			byImage[(i+at/f.Size)*width+j+at%f.Size] += sum * factor * float64(w)
		}
	}
	factor, _ := convENorm(norms, 0, 0)
	byHead := make([]float64, d)
	for i := range byHead {
		byHead[i] = factor * byImage[i]
	}
	return byHead
}

func (convE) DefineScore(state, row []float64) float64 { return bilinear{}.DefineScore(state, row) }

func (convE) DefineGradients(state, row []float64) (byState, byRow []float64) { return row, state }
