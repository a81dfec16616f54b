package kernel

import (
	"math"
	"unsafe"
)

// Portable returns the kernels in Go. They define each kernel, and run where there is no
// assembly.
func Portable() *Set {
	return &Set{Name: "go", raw: raw{
		product:          productGo,
		columnMax:        columnMaxGo,
		expSum:           expSumGo,
		count:            countGo,
		mulAdd:           mulAddGo,
		scale:            scaleGo,
		scaleAdd:         scaleAddGo,
		dot:              dotGo,
		adagrad:          adagradGo,
		adam:             adamGo,
		penalize:         penalizeGo,
		power:            powerGo,
		penalizeGroups:   penalizeGroupsGo,
		scaleColumns:     scaleColumnsGo,
		distances:        distancesGo,
		boxDistances:     boxDistancesGo,
		distanceGradient: distanceGradientGo,
		boxGradient:      boxGradientGo,
		boxPointGradient: boxPointGradientGo,
		moduli:           moduliGo,
		modulusGradient:  modulusGradientGo,
		scaledDistances:  scaledDistancesGo,
		scaledGradient:   scaledGradientGo,

		scaledPointGradient: scaledPointGradientGo,
	}}
}

// at returns n elements that begin a number of bytes after first.
func at[T any](first *T, bytes, n int) []T {
	return unsafe.Slice((*T)(unsafe.Add(unsafe.Pointer(first), bytes)), n)
}

func productGo(rows, columns, inner int, a *float32, aRow, aStep int, b *float32, bRow int,
	c *float32, cRow int, add bool) {
	for i := range rows {
		out := at(c, i*cRow, columns)
		if !add {
			clear(out)
		}
		factor := func(k int) float32 { return at(a, i*aRow+k*aStep, 1)[0] }
		k := 0
		for ; k+4 <= inner; k += 4 { // four rows of B at a time load and store C a quarter as often
			f0, f1, f2, f3 := factor(k), factor(k+1), factor(k+2), factor(k+3)
			r0, r1 := at(b, k*bRow, columns), at(b, (k+1)*bRow, columns)
			r2, r3 := at(b, (k+2)*bRow, columns), at(b, (k+3)*bRow, columns)
			for j := range out {
				out[j] += f0*r0[j] + f1*r1[j] + f2*r2[j] + f3*r3[j]
			}
		}
		for ; k < inner; k++ {
			f, row := factor(k), at(b, k*bRow, columns)
			for j := range out {
				out[j] += f * row[j]
			}
		}
	}
}

func columnMaxGo(x *float32, rows, columns, stride int, most *float32) {
	largest := at(most, 0, columns)
	for i := range rows {
		for j, v := range at(x, i*stride, columns) {
			if v > largest[j] {
				largest[j] = v
			}
		}
	}
}

func expSumGo(x *float32, rows, columns, stride int, shift, sum *float32) {
	shifts, sums := at(shift, 0, columns), at(sum, 0, columns)
	for i := range rows {
		row := at(x, i*stride, columns)
		for j, v := range row {
			row[j] = exp(v - shifts[j])
			sums[j] += row[j]
		}
	}
}

func exp(x float32) float32 {
	const least = -87 // as in the assembly, where smaller powers of two would be subnormal
	if x < least {
		return 0
	}
	return float32(math.Exp(float64(x)))
}

func countGo(x *float32, rows, columns, stride int, limit *float32, above, atLeast *int32) {
	limits, greater, notLess := at(limit, 0, columns), at(above, 0, columns), at(atLeast, 0, columns)
	for i := range rows {
		for j, v := range at(x, i*stride, columns) {
			if v > limits[j] {
				greater[j]++
			}
			if v >= limits[j] {
				notLess[j]++
			}
		}
	}
}

func mulAddGo(y, a, b *float32, rows, width, stride int, sign float32) {
	for i := range rows {
		out, left, right := at(y, i*stride, width), at(a, i*stride, width), at(b, i*stride, width)
		for j := range out {
			out[j] += sign * left[j] * right[j]
		}
	}
}

func scaleGo(y, x *float32, n int, factor float32) {
	out := at(y, 0, n)
	for i, v := range at(x, 0, n) {
		out[i] = factor * v
	}
}

func scaleAddGo(y, x *float32, n int, factor float32) {
	out := at(y, 0, n)
	for i, v := range at(x, 0, n) {
		out[i] += factor * v
	}
}

func dotGo(x, y *float32, n int, sums *float32) {
	a, b, sum := at(x, 0, n), at(y, 0, n), at(sums, 0, Columns)
	for i, v := range a {
		sum[i%Columns] += v * b[i]
	}
}

func adagradGo(x, g, sum *float32, n int, rate float32) {
	const epsilon, grid = 1e-10, 1e-10
	out, gradient, total := at(x, 0, n), at(g, 0, n), at(sum, 0, n)
	for i, d := range gradient {
		total[i] += d * d
		moved := out[i] - rate*d/(float32(math.Sqrt(float64(total[i])))+epsilon)
		out[i] = float32(moved+grid) - grid // the conversion keeps the compiler from fusing
	}
}

func adamGo(x, g, mean, square *float32, n int, rate, correction float32) {
	const epsilon, grid = 1e-8, 1e-20
	out, gradient, means, squares := at(x, 0, n), at(g, 0, n), at(mean, 0, n), at(square, 0, n)
	for i, d := range gradient {
		squares[i] = 0.999*squares[i] + 0.001*d*d
		moved := 0.9*means[i] + 0.1*d
		means[i] = float32(moved+grid) - grid // the conversion keeps the compiler from fusing
		root := float32(math.Sqrt(float64(correction * squares[i])))
		out[i] -= rate * means[i] / (root + epsilon)
	}
}

func penalizeGo(g, x *float32, n int, slope2, slope3 float32, squares, cubes *float32) {
	gradient, square, cube := at(g, 0, n), at(squares, 0, Columns), at(cubes, 0, Columns)
	for i, v := range at(x, 0, n) {
		size := max(v, -v)
		gradient[i] += v * (slope2 + slope3*size)
		square[i%Columns] += v * v // independent sums, so that additions overlap
		cube[i%Columns] += v * v * size
	}
}

func powerGo(y, x *float32, n, eighths int) {
	out := at(y, 0, n)
	for i, root := range at(x, 0, n) {
		power := float32(1)
		for bits := eighths; ; root = float32(math.Sqrt(float64(root))) {
			if bits&8 != 0 {
				power *= root
			}
			if bits = bits << 1 & 15; bits == 0 {
				break
			}
		}
		out[i] = power
	}
}

func penalizeGroupsGo(
	g, x *float32, rows, width, parts, stride int, slope float32, cubes *float32,
) {
	var perGroup [Columns]float32 // of few groups at a time: squares, then slopes
	cube := at(cubes, 0, Columns)
	for i := range rows {
		for first := 0; first < width; first += Columns {
			groups := perGroup[:min(Columns, width-first)]
			part := func(table *float32, part int) []float32 {
				return at(table, i*stride+(part*width+first)*floatBytes, len(groups))
			}
			clear(groups)
			for p := range parts {
				for j, v := range part(x, p) {
					groups[j] += v * v
				}
			}
			for j, square := range groups {
				norm := float32(math.Sqrt(float64(square)))
				cube[j] += square * norm
				groups[j] = slope * norm
			}
			for p := range parts {
				gradient := part(g, p)
				for j, v := range part(x, p) {
					gradient[j] += groups[j] * v
				}
			}
		}
	}
}
