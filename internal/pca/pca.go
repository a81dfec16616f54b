// Package pca projects vectors onto the plane in which they vary most.
package pca

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// iterations is the number of multiplications by the covariance. The plane is for a picture, for
// which a few digits are enough.
const iterations = 60

// Plane returns the coordinates of rows of equal length along their first two principal components,
// and the share of the variance that these explain. Equal rows give equal results. It uses
// orthogonal iteration (Golub and Van Loan, Matrix Computations, Section 7.3), because a singular
// value decomposition of thousands of long rows takes too long.
func Plane(rows [][]float32) (points [][2]float64, explained float64) {
	points = make([][2]float64, len(rows))
	if len(rows) == 0 || len(rows[0]) < 2 {
		return points, 0
	}
	x := centered(rows)
	total := mat.Norm(x, 2) // Frobenius
	if total == 0 {
		return points, 0
	}
	_, columns := x.Dims()
	random := rand.New(rand.NewPCG(1, 2))
	axes := mat.NewDense(columns, 2, nil)
	for i := range columns {
		axes.SetRow(i, []float64{random.NormFloat64(), random.NormFloat64()})
	}
	var projected, q mat.Dense
	var qr mat.QR
	for range iterations {
		projected.Mul(x, axes)
		axes.Mul(x.T(), &projected)
		qr.Factorize(axes)
		qr.QTo(&q)
		axes.Copy(q.Slice(0, columns, 0, 2))
	}
	projected.Mul(x, axes)
	for i := range points {
		points[i] = [2]float64{projected.At(i, 0), projected.At(i, 1)}
	}
	share := mat.Norm(&projected, 2) / total
	return points, share * share
}

// centered returns the rows minus their mean.
func centered(rows [][]float32) *mat.Dense {
	means := make([]float64, len(rows[0]))
	for _, row := range rows {
		for j, v := range row {
			means[j] += float64(v) / float64(len(rows))
		}
	}
	x := mat.NewDense(len(rows), len(means), nil)
	for i, row := range rows {
		for j, v := range row {
			x.Set(i, j, float64(v)-means[j])
		}
	}
	return x
}
