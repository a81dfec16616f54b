package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// inside is kernel.InsideWeight.
const inside = 0.02

// signs loads a vector of sign bits.
func (s isa) signs() reg.VecVirtual { return s.constant("signBit", float32(math.Copysign(0, -1))) }

// distances generates minus the distances of a strip of rows to a register of points or
// boxes, whose coordinates go down columns. With far = |a - b| and near = min(far, half), a
// coordinate of a box adds far - (1-inside)·near.
func distances(s isa, box bool) {
	name := "distances"
	if box {
		name = "boxDistances"
	}
	function(name+s.name,
		"func(inner int, a *float32, aRow int, b, half *float32, bRow int, c *float32, cRow int)")
	aRow := argument("aRow")
	rowOfA, pointers := s.strip(s.rows, argument("a"), aRow)
	b, bRow, inner := argument("b"), argument("bRow"), argument("inner")
	sign := s.signs()
	var halves reg.Register
	var outside reg.VecVirtual
	if box {
		halves = argument("half")
		outside = s.constant("outside", 1-inside)
	}
	sums := s.zeros(s.rows)

	Label("step")
	point, half := s.vector(), s.vector()
	VMOVUPS(Mem{Base: b}, point)
	if box {
		VMOVUPS(Mem{Base: halves}, half)
	}
	for r, sum := range sums {
		far := s.vector()
		VBROADCASTSS(rowOfA(r), far)
		VSUBPS(point, far, far)
		VANDNPS(far, sign, far) // |far|
		VSUBPS(far, sum, sum)
		if box {
			VMINPS(half, far, far)
			VFMADD231PS(far, outside, sum)
		}
	}
	for _, p := range pointers {
		ADDQ(U32(4), p)
	}
	ADDQ(bRow, b)
	if box {
		ADDQ(bRow, halves)
	}
	repeat(inner, "step")

	c, cRow := argument("c"), argument("cRow")
	for _, sum := range sums {
		VMOVUPS(sum, Mem{Base: c})
		ADDQ(cRow, c)
	}
	finish()
}

// gradientKernel describes a gradient of distances: which of its rows are boxes, if any.
type gradientKernel struct {
	name                string
	boxes, towardsBoxes bool
	rows                [2]int // of a strip, for AVX2 and AVX-512
}

var gradients = []gradientKernel{
	{name: "distanceGradient", rows: [2]int{4, 12}},
	{name: "boxGradient", boxes: true, rows: [2]int{2, 4}},
	{name: "boxPointGradient", towardsBoxes: true, rows: [2]int{3, 6}},
}

// distanceGradient generates y += Σ w·sign(b - x)·(1 outside a box, inside within it) for a
// strip of rows x and a register of coordinates, and for boxes also the gradient of their
// halves. The rows and their sums stay in registers for all rows b.
func distanceGradient(s isa, p gradientKernel) {
	rows := p.rows[0]
	if s == avx512 {
		rows = p.rows[1]
	}
	function(p.name+s.name, "func(inner int, w *float32, wRow, wStep int, "+
		"x, xHalf *float32, xRow int, b, bHalf *float32, bRow int, "+
		"y, yHalf *float32, yRow int, add bool)")
	sign := s.signs()
	ofRows := func(table string) []reg.VecVirtual { // of the strip
		at, row := argument(table), argument("xRow")
		v := s.vectors(rows)
		for r := range v {
			VMOVUPS(Mem{Base: at}, v[r])
			ADDQ(row, at)
		}
		return v
	}
	box := p.boxes || p.towardsBoxes
	x, all := ofRows("x"), s.zeros(rows)
	var halves, outer, outerWeights []reg.VecVirtual
	if box {
		outer = s.zeros(rows)
	}
	if p.boxes {
		halves, outerWeights = ofRows("xHalf"), s.zeros(rows)
	}
	wRow := argument("wRow")
	weightOf, pointers := s.strip(rows, argument("w"), wRow)
	wStep, b, bRow := argument("wStep"), argument("b"), argument("bRow")
	inner := argument("inner")
	var bHalf reg.Register
	if p.towardsBoxes {
		bHalf = argument("bHalf")
	}

	Label("step")
	point, half := s.vector(), s.vector()
	VMOVUPS(Mem{Base: b}, point)
	if p.towardsBoxes {
		VMOVUPS(Mem{Base: bHalf}, half)
	}
	for r := range rows {
		weight, pulled := s.vector(), s.vector()
		VBROADCASTSS(weightOf(r), weight)
		VSUBPS(x[r], point, pulled)
		var far, outside reg.VecVirtual
		var mask reg.OpmaskVirtual
		if box {
			if p.boxes {
				half = halves[r]
			}
			far = s.vector()
			VANDNPS(pulled, sign, far)
			const greater = 0x1e // ordered, quiet
			if s == avx512 {
				mask = K()
				VCMPPS(U8(greater), half, far, mask)
			} else {
				outside = far
				VCMPPS(U8(greater), half, far, outside)
			}
		}
		s.withSign(sign, weight, pulled)
		VADDPS(pulled, all[r], all[r])
		if box {
			addWhere := func(v, sum reg.VecVirtual) {
				if s == avx512 {
					VADDPS(v, sum, mask, sum)
				} else {
					VANDPS(outside, v, v)
					VADDPS(v, sum, sum)
				}
			}
			addWhere(pulled, outer[r])
			if p.boxes {
				addWhere(weight, outerWeights[r])
			}
		}
	}
	for _, p := range pointers {
		ADDQ(wStep, p)
	}
	ADDQ(bRow, b)
	if p.towardsBoxes {
		ADDQ(bRow, bHalf)
	}
	repeat(inner, "step")

	if box {
		in, out := s.constant("inside", inside), s.constant("outside", 1-inside)
		for r := range rows {
			VMULPS(in, all[r], all[r])
			VFMADD231PS(out, outer[r], all[r])
			if p.boxes {
				VMULPS(out, outerWeights[r], outerWeights[r])
			}
		}
	}
	write := func(table string, sums []reg.VecVirtual) {
		at, row, add := argument(table), argument("yRow"), Load(Param("add"), GP8())
		TESTB(add, add)
		JZ(LabelRef(table + "Fresh"))
		before := GP64()
		MOVQ(at, before)
		for _, sum := range sums {
			VADDPS(Mem{Base: before}, sum, sum)
			ADDQ(row, before)
		}
		Label(table + "Fresh")
		for _, sum := range sums {
			VMOVUPS(sum, Mem{Base: at})
			ADDQ(row, at)
		}
	}
	write("y", all)
	if p.boxes {
		write("yHalf", outerWeights)
	}
	finish()
}

// withSign replaces x by weight, negated where x is negative.
func (s isa) withSign(sign, weight, x reg.VecVirtual) {
	if s == avx512 {
		const signOfFirst = 0x6a // (x and sign) xor weight
		VPTERNLOGD(U8(signOfFirst), weight, sign, x)
		return
	}
	VANDPS(sign, x, x)
	VXORPS(weight, x, x)
}
