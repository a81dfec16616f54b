package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// shortExponential computes exp with half the instructions and a relative error of about
// 2e-7, for x up to about 80. Arguments below expLeast are raised to it.
type shortExponential struct {
	least, toExponent, magic, step reg.VecVirtual
	coefficients                   []reg.VecVirtual
}

// magic rounds a number to an integer when it is added and subtracted again.
const magic = 3 << 22

func newShortExponential() shortExponential {
	s := avx512
	e := shortExponential{
		least: s.constant("expLeast", expLeast), toExponent: s.constant("log2e", math.Log2E),
		magic: s.constant("magic", magic), step: s.constant("ln2", math.Ln2),
	}
	// The minimax polynomial in relative error for |r| ≤ ln 2 / 2 that begins with 1 + r.
	for i, c := range []float32{8.312528849e-3, 4.189012051e-2, 1.666711445e-1, 4.999923174e-1, 1, 1} {
		e.coefficients = append(e.coefficients, s.constant("shortExp"+string(rune('A'+i)), c))
	}
	return e
}

// of computes exp(x), NaN for NaN. It overwrites x.
func (e shortExponential) of(x reg.VecVirtual) reg.VecVirtual {
	s := avx512
	n, y := s.vector(), s.vector()
	VMAXPS(x, e.least, x) // returns the second source, x, if x is NaN
	VMOVAPS(e.magic, n)
	VFMADD231PS(e.toExponent, x, n)
	VSUBPS(e.magic, n, n)
	VFNMADD231PS(e.step, n, x)
	VMOVAPS(e.coefficients[0], y)
	for _, c := range e.coefficients[1:] {
		VFMADD213PS(c, x, y) // y·r + c
	}
	VSCALEFPS(n, y, y)
	return y
}

// expRound generates the packing of exp(x - shift) into tiles. It sums the columns before
// rounding and raises most to the maximum of x. columns is a multiple of 32, and tileRow is the
// distance of bands in bytes.
func expRound() {
	s := avx512
	function("expRoundAVX512", "func(x *float32, rows, columns, stride int, shift, sum, most "+
		"*float32, tile *uint16, tileRow int)")
	x, columns, stride := argument("x"), argument("columns"), argument("stride")
	shifts, sums, maxima := argument("shift"), argument("sum"), argument("most")
	tile, skip := argument("tile"), argument("tileRow")
	SUBQ(U32(tileBytes), skip)
	e := newShortExponential()
	var shift, sum, most [2]reg.VecVirtual
	for i := range shift {
		shift[i], sum[i], most[i] = s.vector(), s.vector(), s.vector()
	}

	Label("columns")
	for i := range shift {
		VMOVUPS(Mem{Base: shifts, Disp: 64 * i}, shift[i])
		VMOVUPS(Mem{Base: sums, Disp: 64 * i}, sum[i])
		VMOVUPS(Mem{Base: maxima, Disp: 64 * i}, most[i])
	}
	rows := argument("rows")
	from, to, band := GP64(), GP64(), GP64()
	MOVQ(x, from)
	MOVQ(tile, to)
	MOVQ(U32(tileRows), band)
	Label("row")
	for i, whole := range []reg.Register{reg.Z30, reg.Z31} {
		v := s.vector()
		VMOVUPS(Mem{Base: from, Disp: 64 * i}, v)
		VMAXPS(most[i], v, most[i]) // returns the second source, most, if v is NaN
		VSUBPS(shift[i], v, v)
		y := e.of(v)
		VADDPS(y, sum[i], sum[i])
		VMOVAPS(y, whole)
	}
	roundPair(reg.Z30, reg.Z31, reg.Z30)
	VMOVUPS(reg.Z30, Mem{Base: to})
	ADDQ(stride, from)
	ADDQ(U32(tileWidth), to)
	repeat(band, "within")
	ADDQ(skip, to)
	MOVQ(U32(tileRows), band)
	Label("within")
	repeat(rows, "row")
	for i := range sum {
		VMOVUPS(sum[i], Mem{Base: sums, Disp: 64 * i})
		VMOVUPS(most[i], Mem{Base: maxima, Disp: 64 * i})
	}
	const width = 32
	for _, p := range []reg.Register{x, shifts, sums, maxima} {
		ADDQ(U32(4*width), p)
	}
	ADDQ(U32(tileBytes), tile)
	SUBQ(U32(width), columns)
	JG(LabelRef("columns"))
	finish()
}
