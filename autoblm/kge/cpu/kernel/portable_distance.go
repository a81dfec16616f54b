package kernel

import "math"

func scaleColumnsGo(x *float32, rows, columns, stride int, factor *float32) {
	factors := at(factor, 0, columns)
	for i := range rows {
		row := at(x, i*stride, columns)
		for j, f := range factors {
			row[j] *= f
		}
	}
}

// The loops below do not branch on values: the branches would be random, and mispredicting
// half of them takes ten times as long.

const signBit = 1 << 31

// Abs returns |x|.
func Abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ signBit) }

// WithSign returns weight, negated if x is negative.
func WithSign(weight, x float32) float32 {
	return math.Float32frombits(math.Float32bits(weight) ^ math.Float32bits(x)&signBit)
}

// IfNegative returns y if x is negative, else 0.
func IfNegative(x, y float32) float32 {
	return math.Float32frombits(math.Float32bits(y) & uint32(int32(math.Float32bits(x))>>31))
}

func distancesGo(rows, columns, inner int, a *float32, aRow int, b, _ *float32, bRow int,
	c *float32, cRow int) {
	for i := range rows {
		out := at(c, i*cRow, columns)
		clear(out)
		for k, x := range at(a, i*aRow, inner) {
			for j, y := range at(b, k*bRow, columns) {
				out[j] -= Abs(x - y)
			}
		}
	}
}

func boxDistancesGo(rows, columns, inner int, a *float32, aRow int, b, half *float32, bRow int,
	c *float32, cRow int) {
	for i := range rows {
		out := at(c, i*cRow, columns)
		clear(out)
		for k, x := range at(a, i*aRow, inner) {
			halves := at(half, k*bRow, columns)
			for j, y := range at(b, k*bRow, columns) {
				far := Abs(x - y)
				out[j] += (1-InsideWeight)*min(far, halves[j]) - far
			}
		}
	}
}

func distanceGradientGo(rows, columns, inner int, w *float32, wRow, wStep int, x, _ *float32,
	xRow int, b, _ *float32, bRow int, y, _ *float32, yRow int, add bool) {
	for i := range rows {
		row, out := at(x, i*xRow, columns), fresh(y, i*yRow, columns, add)
		for j := range inner {
			weight := at(w, i*wRow+j*wStep, 1)[0]
			for k, towards := range at(b, j*bRow, columns) {
				out[k] += WithSign(weight, towards-row[k])
			}
		}
	}
}

func boxGradientGo(rows, columns, inner int, w *float32, wRow, wStep int, x, xHalf *float32,
	xRow int, b, _ *float32, bRow int, y, yHalf *float32, yRow int, add bool) {
	for i := range rows {
		centre, half := at(x, i*xRow, columns), at(xHalf, i*xRow, columns)
		byCentre, byHalf := fresh(y, i*yRow, columns, add), fresh(yHalf, i*yRow, columns, add)
		for j := range inner {
			weight := at(w, i*wRow+j*wStep, 1)[0]
			for k, towards := range at(b, j*bRow, columns) {
				away := towards - centre[k]
				outside := IfNegative(half[k]-Abs(away), (1-InsideWeight)*weight)
				byCentre[k] += WithSign(InsideWeight*weight+outside, away)
				byHalf[k] += outside
			}
		}
	}
}

func boxPointGradientGo(rows, columns, inner int, w *float32, wRow, wStep int, x, _ *float32,
	xRow int, b, bHalf *float32, bRow int, y, _ *float32, yRow int, add bool) {
	for i := range rows {
		row, out := at(x, i*xRow, columns), fresh(y, i*yRow, columns, add)
		for j := range inner {
			weight, half := at(w, i*wRow+j*wStep, 1)[0], at(bHalf, j*bRow, columns)
			for k, towards := range at(b, j*bRow, columns) {
				away := towards - row[k]
				out[k] += WithSign(InsideWeight*weight+IfNegative(half[k]-Abs(away), (1-InsideWeight)*weight),
					away)
			}
		}
	}
}

// fresh returns n floats to add to, and clears them unless keep is set.
func fresh(first *float32, bytes, n int, keep bool) []float32 {
	out := at(first, bytes, n)
	if !keep {
		clear(out)
	}
	return out
}
