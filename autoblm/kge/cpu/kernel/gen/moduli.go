package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The kernels of this file work on rows of complex numbers, with the imaginary parts in another
// place. AVX-512 has no fast square root or division. Its kernels refine the approximation y of
// 1/√x by VRSQRT14PS, whose relative error is below 2⁻¹⁴, in one step to the precision of float32.

// leastSquare is 2⁻¹⁰⁰. Squares below it count as it, so that 1/√x is finite.
const leastSquare = 0x1p-100

// broadcastFrom computes x - v for a float in memory.
func (s isa) broadcastFrom(from Mem, x, to reg.VecVirtual) {
	if s == avx512 {
		VSUBPS_BCST(from, x, to)
		return
	}
	VBROADCASTSS(from, to)
	VSUBPS(to, x, to)
}

// square replaces re by re² + im².
func square(re, im, to reg.VecVirtual) {
	VMULPS(re, re, to)
	VFMADD231PS(im, im, to)
}

// moduliRows returns the number of rows of a strip for the sums of moduli.
func (s isa) moduliRows() int { return s.rows / 2 }

// moduli generates minus the sums of the moduli of differences between a strip of rows and a
// register of points, whose coordinates go down columns.
func moduli(s isa) {
	function("moduli"+s.name,
		"func(inner int, a, aIm *float32, aRow int, b, bIm *float32, bRow int, c *float32, cRow int)")
	aRow := argument("aRow")
	re, pointers := s.strip(s.moduliRows(), argument("a"), aRow)
	im, more := s.strip(s.moduliRows(), argument("aIm"), aRow)
	pointers = append(pointers, more...)
	b, bIm, bRow, inner := argument("b"), argument("bIm"), argument("bRow"), argument("inner")
	var least, half reg.VecVirtual
	if s == avx512 {
		least, half = s.constant("leastSquare", leastSquare), s.constant("half", .5)
	}
	sums := s.zeros(s.moduliRows())

	Label("step")
	pointRe, pointIm := s.vector(), s.vector()
	VMOVUPS(Mem{Base: b}, pointRe)
	VMOVUPS(Mem{Base: bIm}, pointIm)
	for r, sum := range sums {
		x, y, squares := s.vector(), s.vector(), s.vector()
		s.broadcastFrom(re(r), pointRe, x)
		s.broadcastFrom(im(r), pointIm, y)
		square(x, y, squares)
		if s == avx512 {
			// With y ≈ 1/√x and q = x·y, √x ≈ q + (y/2)·(x - q²).
			VMAXPS(squares, least, squares) // NaN stays NaN
			VRSQRT14PS(squares, y)
			VMULPS(squares, y, x)
			VMULPS(half, y, y)
			VFNMADD231PS(x, x, squares)
			VFMADD231PS(squares, y, x)
		} else {
			VSQRTPS(squares, x)
		}
		VSUBPS(x, sum, sum)
	}
	for _, p := range pointers {
		ADDQ(U32(4), p)
	}
	ADDQ(bRow, b)
	ADDQ(bRow, bIm)
	repeat(inner, "step")

	c, cRow := argument("c"), argument("cRow")
	for _, sum := range sums {
		VMOVUPS(sum, Mem{Base: c})
		ADDQ(cRow, c)
	}
	finish()
}

// someLanes loads and stores the first lanes of registers.
type someLanes struct {
	isa
	opmask reg.OpmaskVirtual
	mask   reg.VecVirtual
}

// newSomeLanes takes the number of lanes from an argument.
func newSomeLanes(s isa, name string) someLanes {
	lanes := argument(name)
	l := someLanes{isa: s}
	if s == avx512 {
		bits := GP32()
		MOVL(U32(0xffff), bits)
		BZHIL(lanes.As32(), bits, bits)
		l.opmask = K()
		KMOVW(bits, l.opmask)
		return l
	}
	ones := GLOBL("firstLanes", RODATA|NOPTR) // ones and then zeros
	for i := range 2 * s.lanes {
		bits := uint32(0)
		if i < s.lanes {
			bits = 0xffffffff
		}
		DATA(4*i, U32(bits))
	}
	from := GP64()
	LEAQ(ones.Offset(4*s.lanes), from)
	NEGQ(lanes)
	l.mask = s.vector()
	VMOVUPS(Mem{Base: from, Index: lanes, Scale: 4}, l.mask)
	return l
}

// load sets the other lanes to 0.
func (l someLanes) load(from Mem, to reg.VecVirtual) {
	if l.isa == avx512 {
		VMOVUPS_Z(from, l.opmask, to)
		return
	}
	VMASKMOVPS(from, l.mask, to)
}

func (l someLanes) store(from reg.VecVirtual, to Mem) {
	if l.isa == avx512 {
		VMOVUPS(from, l.opmask, to)
		return
	}
	VMASKMOVPS(from, l.mask, to)
}

// modulusGradientRows returns the number of rows of a strip for gradients of moduli.
func (s isa) modulusGradientRows() int {
	if s == avx512 {
		return 4
	}
	return 2
}

// modulusGradient generates y += Σ w·(b - x)/|b - x| for a strip of rows x and up to a register of
// complex coordinates. The rows and their sums stay in registers for all rows b.
func modulusGradient(s isa) {
	function("modulusGradient"+s.name, "func(lanes, inner int, w *float32, wRow, wStep int, "+
		"x, xIm *float32, xRow int, b, bIm *float32, bRow int, y, yIm *float32, yRow int, add bool)")
	rows := s.modulusGradientRows()
	some := newSomeLanes(s, "lanes")
	ofRows := func(table string) []reg.VecVirtual { // of the strip
		at, row := argument(table), argument("xRow")
		v := s.vectors(rows)
		for r := range v {
			some.load(Mem{Base: at}, v[r])
			ADDQ(row, at)
		}
		return v
	}
	xRe, xIm := ofRows("x"), ofRows("xIm")
	sumsRe, sumsIm := s.zeros(rows), s.zeros(rows)
	wRow := argument("wRow")
	weightOf, pointers := s.strip(rows, argument("w"), wRow)
	wStep, b, bIm, bRow := argument("wStep"), argument("b"), argument("bIm"), argument("bRow")
	inner := argument("inner")
	least := s.constant("leastSquare", leastSquare)
	var half, one reg.VecVirtual
	if s == avx512 {
		half, one = s.constant("half", .5), s.constant("one", 1)
	}

	Label("step")
	pointRe, pointIm := s.vector(), s.vector()
	some.load(Mem{Base: b}, pointRe)
	some.load(Mem{Base: bIm}, pointIm)
	for r := range rows {
		re, im, squares := s.vector(), s.vector(), s.vector()
		VSUBPS(xRe[r], pointRe, re)
		VSUBPS(xIm[r], pointIm, im)
		square(re, im, squares)
		VMAXPS(squares, least, squares) // NaN stays NaN
		slope := s.vector()
		if s == avx512 {
			// With y ≈ 1/√x, w/√x ≈ w·y + (w·y/2)·(1 - x·y²).
			correction := s.vector()
			VRSQRT14PS(squares, slope)
			VMULPS(squares, slope, squares)
			VMOVAPS(one, correction)
			VFNMADD231PS(squares, slope, correction)
			VMULPS_BCST(weightOf(r), slope, slope)
			VMULPS(half, correction, correction)
			VFMADD231PS(correction, slope, slope)
		} else {
			VSQRTPS(squares, squares)
			VBROADCASTSS(weightOf(r), slope)
			VDIVPS(squares, slope, slope)
		}
		VFMADD231PS(slope, re, sumsRe[r])
		VFMADD231PS(slope, im, sumsIm[r])
	}
	for _, p := range pointers {
		ADDQ(wStep, p)
	}
	ADDQ(bRow, b)
	ADDQ(bRow, bIm)
	repeat(inner, "step")

	write := func(table string, sums []reg.VecVirtual) {
		at, row, add := argument(table), argument("yRow"), Load(Param("add"), GP8())
		TESTB(add, add)
		JZ(LabelRef(table + "Fresh"))
		before := GP64()
		MOVQ(at, before)
		for _, sum := range sums {
			v := s.vector()
			some.load(Mem{Base: before}, v)
			VADDPS(v, sum, sum)
			ADDQ(row, before)
		}
		Label(table + "Fresh")
		for _, sum := range sums {
			some.store(sum, Mem{Base: at})
			ADDQ(row, at)
		}
	}
	write("y", sumsRe)
	write("yIm", sumsIm)
	finish()
}
