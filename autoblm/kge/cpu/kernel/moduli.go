package kernel

import "math"

// PenalizeModuli adds the gradient of an N3 penalty on complex moduli: g += x·slope·|z|.
// The first half of x holds the real parts of z, the second half the imaginary parts.
// It returns the sum of |z|³.
func PenalizeModuli(g, x []float32, slope float32) float64 {
	check(len(x) == len(g) && len(x)%2 == 0)
	half := len(x) / 2
	re, im, gradRe, gradIm := x[:half], x[half:], g[:half], g[half:]
	im, gradRe, gradIm = im[:len(re)], gradRe[:len(re)], gradIm[:len(re)]
	var cubes float32
	for i, a := range re {
		b := im[i]
		square := a*a + b*b
		modulus := float32(math.Sqrt(float64(square)))
		cubes += square * modulus
		gradRe[i] += slope * modulus * a
		gradIm[i] += slope * modulus * b
	}
	return float64(cubes)
}
