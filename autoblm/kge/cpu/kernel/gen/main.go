// Command gen generates the assembly of package kernel; run it with go generate.
// It writes float32 kernels for AVX2 with FMA and for AVX-512, and the bfloat16 kernels.
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	ConstraintExpr("amd64")
	for _, isa := range []isa{avx2, avx512} {
		for columns := 2; columns >= 1; columns-- {
			product(isa, columns)
		}
		columnMax(isa)
		expSum(isa)
		count(isa)
		mulAdd(isa)
		scale(isa)
		dot(isa)
		adagrad(isa)
		adam(isa)
		penalize(isa)
		penalizeGroups(isa)
		power(isa)
		scaleColumns(isa)
		distances(isa, false)
		distances(isa, true)
		for _, p := range gradients {
			distanceGradient(isa, p)
		}
		scaledDistances(isa)
		scaledGradient(isa)
		scaledPointGradient(isa)
		moduli(isa)
		modulusGradient(isa)
	}
	prefetch()
	multiplyAMX()
	multiplyVDPBF16()
	interleave()
	transpose()
	transposeBlock()
	roundRows()
	expRound()
	countNotAbove()
	positions()
	recheck()
	squaredNorms()
	Generate()
}
