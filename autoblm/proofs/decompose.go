package proofs

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// negligible returns a bound on the rounding error of a number that should be 0.
func negligible(m mat.Matrix) float64 {
	n, _ := m.Dims()
	return mat.Max(abs{m}) * float64(n) * 0x1p-52
}

// abs is a matrix of absolute values.
type abs struct{ mat.Matrix }

func (a abs) At(i, j int) float64 { return math.Abs(a.Matrix.At(i, j)) }

// halves returns the symmetric and the skew-symmetric half of a square matrix.
func halves(m *mat.Dense) (symmetric *mat.SymDense, skew *mat.Dense) {
	n, _ := m.Dims()
	symmetric, skew = mat.NewSymDense(n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			symmetric.SetSym(i, j, m.At(i, j)/2+m.At(j, i)/2)
			skew.Set(i, j, m.At(i, j)/2-m.At(j, i)/2)
		}
	}
	return symmetric, skew
}

// pair holds two vectors of the same length.
type pair struct{ x, y []float64 }

// rankOneTerms writes a matrix as Σ x yᵀ with as many terms as its rank.
func rankOneTerms(m *mat.Dense) []pair {
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDThin) {
		panic("proofs: no singular values of a matrix of numbers")
	}
	var left, right mat.Dense
	svd.UTo(&left)
	svd.VTo(&right)
	var terms []pair
	for n, value := range svd.Values(nil) {
		if value > negligible(m) {
			terms = append(terms, pair{scaled(math.Sqrt(value), mat.Col(nil, n, &left)),
				scaled(math.Sqrt(value), mat.Col(nil, n, &right))})
		}
	}
	return terms
}

// eigenTerm is a nonzero eigenvalue with its unit eigenvector.
type eigenTerm struct {
	value  float64
	vector []float64
}

// eigenTerms writes a symmetric matrix as Σ value·v vᵀ with as many terms as its
// rank, by rising values.
func eigenTerms(m *mat.SymDense) []eigenTerm {
	var eigen mat.EigenSym
	if !eigen.Factorize(m, true) {
		panic("proofs: no eigenvalues of a symmetric matrix of numbers")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	var terms []eigenTerm
	for n, value := range eigen.Values(nil) {
		if math.Abs(value) > negligible(m) {
			terms = append(terms, eigenTerm{value, mat.Col(nil, n, &vectors)})
		}
	}
	return terms
}

// skewTerms writes a skew-symmetric matrix as Σ x yᵀ - y xᵀ with half as many terms
// as its rank: elimination that takes away two rows and columns at a time, by the
// largest entry left.
func skewTerms(m *mat.Dense) []pair {
	rest, least := mat.DenseCopyOf(m), negligible(m)
	n, _ := m.Dims()
	var terms []pair
	for {
		p, q := 0, 0
		for i := range n {
			for j := range i {
				if math.Abs(rest.At(i, j)) > math.Abs(rest.At(p, q)) {
					p, q = i, j
				}
			}
		}
		pivot := rest.At(p, q)
		if math.Abs(pivot) <= least {
			return terms
		}
		// Column p by column q, over the pivot; their lengths are made alike.
		x, y := mat.Col(nil, p, rest), mat.Col(nil, q, rest)
		balance := math.Sqrt(mat.Norm(mat.NewVecDense(n, y), 2) / mat.Norm(mat.NewVecDense(n, x), 2) /
			math.Abs(pivot))
		x, y = scaled(balance, x), scaled(1/(balance*pivot), y)
		terms = append(terms, pair{x, y})
		for i := range n {
			for j := range n {
				rest.Set(i, j, rest.At(i, j)-(x[i]*y[j]-y[i]*x[j]))
			}
		}
		for _, done := range [2]int{p, q} { // to the last bit, so that it ends
			for i := range n {
				rest.Set(done, i, 0)
				rest.Set(i, done, 0)
			}
		}
	}
}

func scaled(factor float64, x []float64) []float64 {
	return floats.ScaleTo(make([]float64, len(x)), factor, x)
}

// plus returns a·x + b·y.
func plus(a float64, x []float64, b float64, y []float64) []float64 {
	sum := scaled(a, x)
	floats.AddScaled(sum, b, y)
	return sum
}
