// Command gen writes the assembly of package kernel; run it with go generate.
// Every kernel comes in a version for AVX2 with FMA and one for AVX-512.
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
		adagrad(isa)
		penalize(isa)
		scaleColumns(isa)
		distances(isa, false)
		distances(isa, true)
		for _, p := range pullings {
			pull(isa, p)
		}
	}
	multiplyAMX()
	multiplyVDPBF16()
	interleave()
	transpose()
	roundRows()
	expRound()
	sift()
	list()
	settle()
	squares()
	Generate()
}
