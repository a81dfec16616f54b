package kernel

import "math"

// PenalizeModuli is g += x·slope·|z|, where z is the complex number that a float of
// the first half of x makes with that of the second. It returns the sum of |z|³.
func PenalizeModuli(g, x []float32, slope float32) float64 {
	check(len(x) == len(g) && len(x)%2 == 0)
	half := len(x) / 2
	re, im, byRe, byIm := x[:half], x[half:], g[:half], g[half:]
	im, byRe, byIm = im[:len(re)], byRe[:len(re)], byIm[:len(re)]
	var cubes float32
	for i, a := range re {
		b := im[i]
		square := a*a + b*b
		modulus := float32(math.Sqrt(float64(square)))
		cubes += square * modulus
		byRe[i] += slope * modulus * a
		byIm[i] += slope * modulus * b
	}
	return float64(cubes)
}
