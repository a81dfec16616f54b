package pca

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// TestPlane compares with the principal components of gonum, which decomposes the whole matrix.
func TestPlane(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const n, d = 60, 9
	rows, data := make([][]float32, n), mat.NewDense(n, d, nil)
	for i := range rows {
		a, b := 3*random.NormFloat64(), 2*random.NormFloat64()
		rows[i] = make([]float32, d)
		for j := range d {
			v := a*float64(j-4) + b*float64(j%3) + 0.5*random.NormFloat64() + 7
			rows[i][j] = float32(v)
			data.Set(i, j, float64(rows[i][j]))
		}
	}
	var pc stat.PC
	if !pc.PrincipalComponents(data, nil) {
		t.Fatal("no principal components")
	}
	variances := pc.VarsTo(nil)
	sum := 0.0
	for _, v := range variances {
		sum += v
	}
	points, explained := Plane(rows)
	if want := (variances[0] + variances[1]) / sum; math.Abs(explained-want) > 1e-6 {
		t.Errorf("the plane explains %v of the variance, want %v", explained, want)
	}
	for axis := range 2 {
		var along []float64
		for _, p := range points {
			along = append(along, p[axis])
		}
		if got := stat.Variance(along, nil); math.Abs(got-variances[axis]) > 1e-4*variances[axis] {
			t.Errorf("axis %d has variance %v, want %v", axis, got, variances[axis])
		}
	}
}

// TestDegenerate: few, equal and short rows have a plane too.
func TestDegenerate(t *testing.T) {
	for _, rows := range [][][]float32{nil, {{}}, {{1}}, {{1, 2}}, {{1, 2}, {1, 2}}, {{1, 2}, {3, 4}}} {
		points, explained := Plane(rows)
		if len(points) != len(rows) || math.IsNaN(explained) || explained < 0 || explained > 1+1e-9 {
			t.Errorf("%v: %v, %v", rows, points, explained)
		}
		for _, p := range points {
			if math.IsNaN(p[0]) || math.IsNaN(p[1]) {
				t.Errorf("%v: %v", rows, points)
			}
		}
	}
}
