package kernel

import "math"

// leastModulus is 2⁻⁵⁰. Smaller moduli count as it in gradients.
const leastModulus = 0x1p-50

// Modulus returns √(re² + im²).
func Modulus(re, im float32) float32 { return float32(math.Sqrt(float64(re*re + im*im))) }

// PerModulus returns weight/√(re² + im²), which is finite also for 0.
func PerModulus(weight, re, im float32) float32 { return weight / max(Modulus(re, im), leastModulus) }

func moduliGo(rows, columns, inner int, a, aIm *float32, aRow int, b, bIm *float32, bRow int,
	c *float32, cRow int) {
	for i := range rows {
		out, imaginary := at(c, i*cRow, columns), at(aIm, i*aRow, inner)
		clear(out)
		for k, re := range at(a, i*aRow, inner) {
			im, pointIm := imaginary[k], at(bIm, k*bRow, columns)
			for j, pointRe := range at(b, k*bRow, columns) {
				out[j] -= Modulus(pointRe-re, pointIm[j]-im)
			}
		}
	}
}

func modulusGradientGo(rows, columns, inner int, w *float32, wRow, wStep int, x, xIm *float32,
	xRow int, b, bIm *float32, bRow int, y, yIm *float32, yRow int, add bool) {
	for i := range rows {
		re, im := at(x, i*xRow, columns), at(xIm, i*xRow, columns)
		outRe, outIm := fresh(y, i*yRow, columns, add), fresh(yIm, i*yRow, columns, add)
		for j := range inner {
			weight, pointIm := at(w, i*wRow+j*wStep, 1)[0], at(bIm, j*bRow, columns)
			for k, pointRe := range at(b, j*bRow, columns) {
				byRe, byIm := pointRe-re[k], pointIm[k]-im[k]
				slope := PerModulus(weight, byRe, byIm)
				outRe[k] += slope * byRe
				outIm[k] += slope * byIm
			}
		}
	}
}
