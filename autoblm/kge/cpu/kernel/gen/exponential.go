package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// exponential holds the constants of exp. With n = round(x / ln 2) and
// r = x - n·ln 2, exp(x) = 2ⁿ·exp(r), and exp(r) is a polynomial on |r| ≤ ln 2 / 2.
type exponential struct {
	s                     isa
	least, highest, one   reg.VecVirtual
	toExponent, high, low Op
	coefficients          []Op // all but the highest
}

func newExponential(s isa) exponential {
	e := exponential{
		s:          s,
		least:      s.constant("expLeast", expLeast),
		toExponent: s.factor("log2e", 1.44269504088896341),
		high:       s.factor("ln2High", 0.693359375),
		low:        s.factor("ln2Low", -2.12194440e-4),
		highest:    s.constant("expA", 1.9875691500e-4),
	}
	for i, c := range []float32{
		1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1,
	} {
		e.coefficients = append(e.coefficients, s.factor("exp"+string(rune('B'+i)), c))
	}
	e.one = s.constant("one", 1)
	return e
}

// expLeast is the argument below which exp is 0: the power of two would be subnormal there.
const expLeast = -87

// of computes exp(x) for x ≤ 0: 0 below expLeast, NaN for NaN.
func (e exponential) of(x reg.VecVirtual) reg.VecVirtual {
	s := e.s
	clamped, n, y := s.vector(), s.vector(), s.vector()
	VMAXPS(x, e.least, clamped) // returns the second source, x, if x is NaN
	VMULPS(e.toExponent, clamped, n)
	const nearest = 8 // to even, without exceptions
	if s == avx512 {
		VRNDSCALEPS(U8(nearest), n, n)
	} else {
		VROUNDPS(U8(nearest), n, n)
	}
	r := s.vector()
	VMOVAPS(clamped, r)
	VFNMADD231PS(e.high, n, r)
	VFNMADD231PS(e.low, n, r)
	VMOVAPS(e.highest, y)
	for _, c := range e.coefficients {
		VFMADD213PS(c, r, y) // y·r + c
	}
	square := s.vector()
	VMULPS(r, r, square)
	VFMADD213PS(r, square, y) // y·r² + r
	VADDPS(e.one, y, y)
	if s == avx512 {
		VSCALEFPS(n, y, y)
		mask := K()
		const notLess = 0x15 // unordered, quiet: NaN stays
		VCMPPS(U8(notLess), e.least, x, mask)
		VMOVAPS_Z(y, mask, y)
		return y
	}
	power := s.vector()
	VCVTPS2DQ(n, power)
	VPSLLD(U8(23), power, power)
	VPADDD(e.one, power, power) // one's exponent plus n: 2ⁿ
	VMULPS(power, y, y)
	less := s.vector()
	const lessThan = 0x11 // ordered, quiet
	VCMPPS(U8(lessThan), e.least, x, less)
	VANDNPS(y, less, y)
	return y
}
