package form

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Cell is a cell of Interstellar in the encoding of its authors. It reads an entity s and a relation
// r in the state h, and returns an output v and the next state:
//
//	o  = a1(f1(W1 s, W2 h))
//	h' = a2(f2(W3 x, W4 r))
//	v  = f3(W5 y, W6 h')
//
// x and y are s, h, o or 0. The numbers are f1, 4·x + f2, 4·y + f3, a1 and a2, and then 1 for each of
// W1 to W6 that is a matrix and 0 for the identity. W2, W4 and W6 have a bias.
type Cell [11]int

// The functions f of a cell.
const (
	CellSum     = iota
	CellProduct // of coordinates
	CellComplex // of vectors whose halves are real and imaginary parts
	CellGate    // g·second + (1-g)·first with g = σ(G[first; second] + b)
	cellFunctions
)

// The values of x and y in a cell.
const (
	CellEntity = iota
	CellState
	CellOutput // o
	CellZero
	cellInputs
)

// The activations a of a cell.
const (
	CellIdentity = iota
	CellTanh
	CellSigmoid
	cellActivations
)

// The published cells of link prediction (LARS-research/Interstellar, run.sh).
var (
	CellWN18RR   = Cell{0, 0, 2}
	CellFB15k237 = Cell{2, 1, 11, 1, 1}
)

// Function returns f1, f2 or f3, by n from 0.
func (c Cell) Function(n int) int { return c[n] % cellFunctions }

// Input returns x, for n = 1, or y, for n = 2.
func (c Cell) Input(n int) int { return c[n] / cellFunctions }

// Activation returns a1 or a2, by n from 0.
func (c Cell) Activation(n int) int { return c[3+n] }

// hasMatrix reports whether W1 to W6, by n from 0, is a matrix.
func (c Cell) hasMatrix(n int) bool { return c[5+n] == 1 }

// hasGate reports whether a function is a gate. All gates have the same weights.
func (c Cell) hasGate() bool {
	return c.Function(0) == CellGate || c.Function(1) == CellGate || c.Function(2) == CellGate
}

// CellGateMatrix is the number of the gate among the matrices of a cell.
const CellGateMatrix = 6

// Weights returns the first row of W1 to W6, by n from 0, or of the gate, n = 6, in the table of
// weights of a cell for vectors of a size, and the number of its inputs; inputs is 0 if the cell has
// no such matrix. Row i has the weights of input i. The bias follows, if there is one.
func (c Cell) Weights(n, size int) (first, inputs int, hasBias bool) {
	for i := range CellGateMatrix + 1 {
		rows, bias := 0, i%2 == 1 || i == CellGateMatrix
		if i < CellGateMatrix && c.hasMatrix(i) {
			rows = size
		} else if i == CellGateMatrix && c.hasGate() {
			rows = 2 * size
		}
		if i == n {
			return first, rows, bias && rows > 0
		}
		if first += rows; bias && rows > 0 {
			first++
		}
	}
	return first, 0, false // after all
}

// rows returns the number of rows of the table of weights.
func (c Cell) rows(size int) int {
	first, _, _ := c.Weights(CellGateMatrix+1, size)
	return first
}

// draw returns an initial weight: uniform in matrices, within the bound of Glorot and Bengio (2010), and
// in biases within 1/√inputs, as in PyTorch.
func (c Cell) draw(rng *rand.Rand, row, size int) float64 {
	bound := 0.0
	for n := range CellGateMatrix + 1 {
		if first, inputs, _ := c.Weights(n, size); inputs > 0 && row >= first {
			bound = math.Sqrt(6 / float64(inputs+size))
			if row == first+inputs {
				bound = 1 / math.Sqrt(float64(inputs))
			}
		}
	}
	return (2*rng.Float64() - 1) * bound
}

// Check returns an error if the numbers are no cell whose scores depend on entity and relation.
func (c Cell) Check() error {
	limits := [...]int{
		cellFunctions, cellInputs * cellFunctions, cellInputs * cellFunctions,
		cellActivations, cellActivations, 2, 2, 2, 2, 2, 2,
	}
	for i, limit := range limits {
		if c[i] < 0 || c[i] >= limit {
			return fmt.Errorf("number %d of the cell is %d: it must be from 0 to %d", 1+i, c[i], limit-1)
		}
	}
	for n := 1; n <= 2; n++ {
		multiplies := c.Function(n) == CellProduct || c.Function(n) == CellComplex
		if c.Input(n) == CellZero && multiplies {
			return fmt.Errorf("number %d of the cell is %d, a product with 0: choose another number",
				1+n, c[n])
		}
	}
	if c.Input(1) == CellZero && c.Input(2) == CellZero {
		return errors.New("the second and third number of the cell leave out the entity: " +
			"choose one of them below 12")
	}
	return nil
}

// cellPrefix begins the names of forms with cells.
const cellPrefix = "interstellar-"

// publishedCells has the cells with names.
var publishedCells = map[string]Cell{"wn18rr": CellWN18RR, "fb15k-237": CellFB15k237}

// String returns the name of a published cell, or else the numbers.
func (c Cell) String() string {
	for name, cell := range publishedCells {
		if c == cell {
			return name
		}
	}
	var numbers []string
	for _, n := range c {
		numbers = append(numbers, strconv.Itoa(n))
	}
	return strings.Join(numbers, "-")
}

// parseCell returns the form with a name, such as interstellar-2-1-11-1-1-0-0-0-0-0-0.
func parseCell(name string) (f Form, isCell bool, err error) {
	text, isCell := strings.CutPrefix(name, cellPrefix)
	if !isCell {
		return Form{}, false, nil
	}
	c, isPublished := publishedCells[text]
	if !isPublished {
		numbers := strings.Split(text, "-")
		if len(numbers) != len(c) {
			return Form{}, true, fmt.Errorf("model %s: a cell has %d numbers with - between them, "+
				"or the name wn18rr or fb15k-237", name, len(c))
		}
		for i, number := range numbers {
			if c[i], err = strconv.Atoi(number); err != nil {
				return Form{}, true, fmt.Errorf("model %s: number %d of the cell is %q: "+
					"it must be an integer", name, 1+i, number)
			}
		}
	}
	if err := c.Check(); err != nil {
		return Form{}, true, fmt.Errorf("model %s: %w", name, err)
	}
	if f := c.Form(); f.String() != name {
		return Form{}, true, fmt.Errorf("model %s: write the cell as %v", name, f)
	}
	return c.Form(), true, nil
}

// chain computes a cell for vectors of a size, in float64.
type chain struct {
	Cell
	size    int
	weights []float64
}

// visit holds the values of one use of a cell.
type visit struct {
	entity, state, relation []float64
	// f1, f2 and f3 with their factors, and the results of the activations.
	first, second [3][]float64
	o, next, v    []float64
}

// linear returns W x for W1 to W6 or the gate, by n.
func (c chain) linear(n int, x []float64) []float64 {
	first, inputs, hasBias := c.Weights(n, c.size)
	if inputs == 0 {
		return x
	}
	y := make([]float64, c.size)
	if hasBias {
		copy(y, c.weights[(first+inputs)*c.size:])
	}
	for i, factor := range x {
		for j := range y {
			y[j] += factor * c.weights[(first+i)*c.size+j]
		}
	}
	return y
}

// linearBack returns the gradient of x, given that of W x.
func (c chain) linearBack(n int, gradient []float64) []float64 {
	first, inputs, _ := c.Weights(n, c.size)
	if inputs == 0 {
		return gradient
	}
	byX := make([]float64, inputs)
	for i := range byX {
		for j, y := range gradient {
			byX[i] += y * c.weights[(first+i)*c.size+j]
		}
	}
	return byX
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// gateOf returns g of two vectors.
func (c chain) gateOf(x, y []float64) []float64 {
	g := c.linear(CellGateMatrix, slices.Concat(x, y))
	for i := range g {
		g[i] = sigmoid(g[i])
	}
	return g
}

// combine returns f(x, y).
func (c chain) combine(function int, x, y []float64) []float64 {
	z, half := make([]float64, c.size), c.size/2
	var g []float64
	if function == CellGate {
		g = c.gateOf(x, y)
	}
	for i := range z {
		switch function {
		case CellSum:
			z[i] = x[i] + y[i]
		case CellProduct:
			z[i] = x[i] * y[i]
		case CellComplex:
			if i < half {
				z[i] = x[i]*y[i] - x[half+i]*y[half+i]
			} else {
				z[i] = x[i-half]*y[i] + x[i]*y[i-half]
			}
		case CellGate:
			z[i] = g[i]*y[i] + (1-g[i])*x[i]
		}
	}
	return z
}

// combineBack returns the gradients of x and y, given that of f(x, y).
func (c chain) combineBack(function int, x, y, gradient []float64) (byX, byY []float64) {
	half := c.size / 2
	byX, byY = make([]float64, c.size), make([]float64, c.size)
	if function == CellGate {
		g, byGate := c.gateOf(x, y), make([]float64, c.size)
		for i, d := range gradient {
			byX[i], byY[i] = d*(1-g[i]), d*g[i]
			byGate[i] = d * (y[i] - x[i]) * g[i] * (1 - g[i])
		}
		for i, d := range c.linearBack(CellGateMatrix, byGate) {
			if i < c.size {
				byX[i] += d
			} else {
				byY[i-c.size] += d
			}
		}
		return byX, byY
	}
	for i, d := range gradient {
		switch {
		case function == CellSum:
			byX[i], byY[i] = d, d
		case function == CellProduct:
			byX[i], byY[i] = d*y[i], d*x[i]
		case i < half: // the real part of a complex product
			byX[i], byX[half+i] = byX[i]+d*y[i], byX[half+i]-d*y[half+i]
			byY[i], byY[half+i] = byY[i]+d*x[i], byY[half+i]-d*x[half+i]
		default:
			byX[i], byX[i-half] = byX[i]+d*y[i-half], byX[i-half]+d*y[i]
			byY[i], byY[i-half] = byY[i]+d*x[i-half], byY[i-half]+d*x[i]
		}
	}
	return byX, byY
}

func activate(activation int, x []float64) []float64 {
	y := slices.Clone(x)
	for i := range y {
		switch activation {
		case CellTanh:
			y[i] = math.Tanh(y[i])
		case CellSigmoid:
			y[i] = sigmoid(y[i])
		}
	}
	return y
}

// activateBack returns the gradient of x, given the activation y of x and its gradient.
func activateBack(activation int, y, gradient []float64) []float64 {
	byX := slices.Clone(gradient)
	for i := range byX {
		switch activation {
		case CellTanh:
			byX[i] *= 1 - y[i]*y[i]
		case CellSigmoid:
			byX[i] *= y[i] * (1 - y[i])
		}
	}
	return byX
}

// use computes the cell once.
func (c chain) use(entity, state, relation []float64) visit {
	u := visit{entity: entity, state: state, relation: relation}
	apply := func(n int, x, y []float64) []float64 {
		u.first[n], u.second[n] = c.linear(2*n, x), c.linear(2*n+1, y)
		return c.combine(c.Function(n), u.first[n], u.second[n])
	}
	u.o = activate(c.Activation(0), apply(0, entity, state))
	inputs := [cellInputs][]float64{entity, state, u.o, make([]float64, c.size)}
	u.next = activate(c.Activation(1), apply(1, inputs[c.Input(1)], relation))
	u.v = apply(2, inputs[c.Input(2)], u.next)
	return u
}

// back returns the gradients of the entity and the state before, given that of the output.
func (c chain) back(u visit, byV []float64) (byEntity, byState []float64) {
	var inputs [cellInputs][]float64 // their gradients
	for i := range inputs {
		inputs[i] = make([]float64, c.size)
	}
	add := func(input int, gradient []float64) {
		for i, d := range gradient {
			inputs[input][i] += d
		}
	}
	apply := func(n int, gradient []float64) (byX, byY []float64) {
		byX, byY = c.combineBack(c.Function(n), u.first[n], u.second[n], gradient)
		return c.linearBack(2*n, byX), c.linearBack(2*n+1, byY)
	}
	byY, byNext := apply(2, byV)
	add(c.Input(2), byY)
	byX, _ := apply(1, activateBack(c.Activation(1), u.next, byNext))
	add(c.Input(1), byX)
	fromEntity, fromState := apply(0, activateBack(c.Activation(0), u.o, inputs[CellOutput]))
	add(CellEntity, fromEntity)
	add(CellState, fromState)
	return inputs[CellEntity], inputs[CellState]
}
