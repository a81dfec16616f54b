package eval

import "sort"

// Isotonic is a map that never decreases: linear between its points, constant outside them.
type Isotonic struct {
	X []float64 `json:"x"` // ascending
	Y []float64 `json:"y"`
}

// FitIsotonic returns the map with the least weighted sum of squared errors from points with
// ascending x (pool adjacent violators). At least one weight must be above 0.
func FitIsotonic(x, y, weight []float64) Isotonic {
	type block struct {
		first, last int
		mean, sum   float64 // sum of weights
	}
	var blocks []block
	for i := range x {
		if weight[i] <= 0 {
			continue
		}
		b := block{i, i, y[i], weight[i]}
		for len(blocks) > 0 && blocks[len(blocks)-1].mean >= b.mean {
			before := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			sum := before.sum + b.sum
			b = block{before.first, b.last, before.mean + (b.mean-before.mean)*b.sum/sum, sum}
		}
		blocks = append(blocks, b)
	}
	var fitted Isotonic
	for _, b := range blocks {
		fitted.X, fitted.Y = append(fitted.X, x[b.first]), append(fitted.Y, b.mean)
		if x[b.last] > x[b.first] {
			fitted.X, fitted.Y = append(fitted.X, x[b.last]), append(fitted.Y, b.mean)
		}
	}
	return fitted
}

// At returns the value at x. It panics if the map has no points.
func (f Isotonic) At(x float64) float64 {
	next := sort.Search(len(f.X), func(i int) bool { return f.X[i] >= x })
	switch {
	case next == 0:
		return f.Y[0]
	case next == len(f.X):
		return f.Y[next-1]
	}
	width := f.X[next] - f.X[next-1]
	return f.Y[next-1] + (f.Y[next]-f.Y[next-1])*(x-f.X[next-1])/width
}
