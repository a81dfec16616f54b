package form

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// lstm is a layer of a recurrent network (Hochreiter and Schmidhuber, 1997) in the variant of RSN, in
// which the candidate g and the cell c have no tanh. From an input x, and the output h and cell c
// before,
//
//	c' = σ(f+1)∘c + σ(i)∘g,  h' = σ(o)∘c',  [i; g; f; o] = W [x; h] + b.
//
// weights has a row for each number of x, for each of h, and then b, [2n+1, 4n].
type lstm[T float32 | float64] struct {
	weights []T
	n       int
}

// lstmGates is the number of gates of a layer, including the candidate.
const lstmGates = 4

// lstmRows returns the number of rows of the weights of a layer.
func lstmRows(n int) int { return 2*n + 1 }

// lstmOf returns a layer from a table of all layers.
func lstmOf[T float32 | float64](all []T, layer, n int) lstm[T] {
	size := lstmRows(n) * lstmGates * n
	return lstm[T]{all[layer*size:][:size], n}
}

// drawLSTM draws the weights of a layer: a matrix with orthonormal rows, uniformly distributed, and
// biases of 0.
func drawLSTM(rng *rand.Rand, n int) []float64 {
	gaussian := mat.NewDense(lstmGates*n, 2*n, nil)
	for i := range lstmGates * n {
		for j := range 2 * n {
			gaussian.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(gaussian)
	var q, r mat.Dense
	qr.QTo(&q)
	qr.RTo(&r)
	all := make([]float64, lstmRows(n)*lstmGates*n)
	for row := range 2 * n {
		sign := math.Copysign(1, r.At(row, row)) // without which the distribution is not uniform
		for column := range lstmGates * n {
			all[row*lstmGates*n+column] = sign * q.At(column, row)
		}
	}
	return all
}

// lstmUse holds what a layer computes from an input.
type lstmUse struct {
	in, candidate, forget, out []float64 // after the sigmoid, apart from the candidate
	before, cell, output       []float64
}

// use returns the next cell and output, given those before.
func (l lstm[T]) use(input, hidden, cell []float64) lstmUse {
	sums := make([]float64, lstmGates*l.n)
	half := l.n * len(sums)
	addProduct(sums, input, l.weights[:half])
	addProduct(sums, hidden, l.weights[half:][:half])
	for i, b := range l.weights[2*half:] {
		sums[i] += float64(b)
	}
	gate := func(n int) []float64 { return sums[n*l.n:][:l.n] }
	u := lstmUse{
		in: gate(0), candidate: gate(1), forget: gate(2), out: gate(3),
		before: cell, cell: make([]float64, l.n), output: make([]float64, l.n),
	}
	for i := range l.n {
		u.in[i], u.forget[i], u.out[i] = sigmoid(u.in[i]), sigmoid(u.forget[i]+1), sigmoid(u.out[i])
		u.cell[i] = u.forget[i]*cell[i] + u.in[i]*u.candidate[i]
		u.output[i] = u.out[i] * u.cell[i]
	}
	return u
}

// back returns the gradients by the input, and by the output and cell before, from those by the output
// and the cell.
func (l lstm[T]) back(u lstmUse, byOutput, byCell []float64) (byInput, byHidden, byBefore []float64) {
	bySums := make([]float64, lstmGates*l.n)
	byBefore = make([]float64, l.n)
	slope := func(x float64) float64 { return x * (1 - x) }
	for i := range l.n {
		by := byCell[i] + byOutput[i]*u.out[i]
		bySums[i] = by * u.candidate[i] * slope(u.in[i])
		bySums[l.n+i] = by * u.in[i]
		bySums[2*l.n+i] = by * u.before[i] * slope(u.forget[i])
		bySums[3*l.n+i] = byOutput[i] * u.cell[i] * slope(u.out[i])
		byBefore[i] = by * u.forget[i]
	}
	half := l.n * len(bySums)
	return productWith(l.weights[:half], bySums), productWith(l.weights[half:][:half], bySums), byBefore
}

// addProduct adds xᵀM to y, for a matrix M with a row for each number of x.
func addProduct[T float32 | float64](y, x []float64, m []T) {
	addProducts([][]float64{y}, [][]float64{x}, m)
}

// addProducts adds xᵀM to y for each of several x. Zeros, such as those after a rectifier, take no
// time.
func addProducts[T float32 | float64](y, x [][]float64, m []T) {
	if len(x) == 0 {
		return
	}
	n := len(y[0])
	row := make([]float64, n)
	for i := range x[0] {
		isRead := false
		for q := range x {
			factor := x[q][i]
			if factor == 0 {
				continue
			}
			if !isRead {
				isRead = true
				for j, w := range m[i*n:][:n] {
					row[j] = float64(w)
				}
			}
			floats.AddScaled(y[q], factor, row)
		}
	}
}

// productWith returns M x.
func productWith[T float32 | float64](m []T, x []float64) []float64 {
	y := make([]float64, len(m)/len(x))
	for i := range y {
		for j, w := range m[i*len(x):][:len(x)] {
			y[i] += float64(w) * x[j]
		}
	}
	return y
}
