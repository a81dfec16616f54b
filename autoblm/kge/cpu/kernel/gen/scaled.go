package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// scaledDistances generates minus the distances Σ|a·scale - b| of a strip of rows to a register of
// points b with scales, both of which go down columns.
func scaledDistances(s isa) {
	function("scaledDistances"+s.name,
		"func(inner int, a *float32, aRow int, b, scale *float32, bRow int, c *float32, cRow int)")
	aRow := argument("aRow")
	rowOfA, pointers := s.strip(s.rows, argument("a"), aRow)
	b, scales, bRow := argument("b"), argument("scale"), argument("bRow")
	inner := argument("inner")
	sign := s.signs()
	sums := s.zeros(s.rows)

	Label("step")
	point, scale := s.vector(), s.vector()
	VMOVUPS(Mem{Base: b}, point)
	VMOVUPS(Mem{Base: scales}, scale)
	for r, sum := range sums {
		far := s.vector()
		VBROADCASTSS(rowOfA(r), far)
		VFMSUB213PS(point, scale, far) // far·scale - point
		VANDNPS(far, sign, far)
		VSUBPS(far, sum, sum)
	}
	for _, p := range pointers {
		ADDQ(U32(4), p)
	}
	ADDQ(bRow, b)
	ADDQ(bRow, scales)
	repeat(inner, "step")

	c, cRow := argument("c"), argument("cRow")
	for _, sum := range sums {
		VMOVUPS(sum, Mem{Base: c})
		ADDQ(cRow, c)
	}
	finish()
}

// scaledSignature is that of gradientFunc in package kernel.
const scaledSignature = "func(inner int, w *float32, wRow, wStep int, " +
	"x, xScale *float32, xRow int, b, bScale *float32, bRow int, " +
	"y, yScale *float32, yRow int, add bool)"

// scaledGradientRows returns the rows of a strip for the gradients of points with scales.
func (s isa) scaledGradientRows() int {
	if s == avx512 {
		return 6
	}
	return 2
}

// scaledPointGradientRows returns the rows of a strip for the gradients of rows.
func (s isa) scaledPointGradientRows() int {
	if s == avx512 {
		return 12
	}
	return 4
}

// loadRows loads a register of each row of a strip.
func (s isa) loadRows(n int, table, stride string) []reg.VecVirtual {
	at, row := argument(table), argument(stride)
	v := s.vectors(n)
	for r := range v {
		VMOVUPS(Mem{Base: at}, v[r])
		ADDQ(row, at)
	}
	return v
}

// storeRows stores a register of each row of a strip, or adds it if the argument add is set.
func (s isa) storeRows(sums []reg.VecVirtual, table, stride string) {
	at, row, add := argument(table), argument(stride), Load(Param("add"), GP8())
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

// scaledGradient generates, for a strip of rows x with scales and a register of coordinates,
// y += Σ w·sign(b·scale - x), and the gradient of the scales, -Σ w·sign(b·scale - x)·b.
func scaledGradient(s isa) {
	function("scaledGradient"+s.name, scaledSignature)
	rows := s.scaledGradientRows()
	sign := s.signs()
	x, scales := s.loadRows(rows, "x", "xRow"), s.loadRows(rows, "xScale", "xRow")
	byX, byScales := s.zeros(rows), s.zeros(rows)
	wRow := argument("wRow")
	weightOf, pointers := s.strip(rows, argument("w"), wRow)
	wStep, b, bRow, inner := argument("wStep"), argument("b"), argument("bRow"), argument("inner")

	Label("step")
	point := s.vector()
	VMOVUPS(Mem{Base: b}, point)
	for r := range rows {
		weight, pulled := s.vector(), s.vector()
		VMOVAPS(point, pulled)
		VFMSUB213PS(x[r], scales[r], pulled) // point·scale - x
		VBROADCASTSS(weightOf(r), weight)
		s.withSign(sign, weight, pulled)
		VADDPS(pulled, byX[r], byX[r])
		VFNMADD231PS(pulled, point, byScales[r])
	}
	for _, p := range pointers {
		ADDQ(wStep, p)
	}
	ADDQ(bRow, b)
	repeat(inner, "step")

	s.storeRows(byX, "y", "yRow")
	s.storeRows(byScales, "yScale", "yRow")
	finish()
}

// scaledPointGradient generates y -= Σ w·sign(x·scale - b)·scale for a strip of rows x and a register
// of coordinates. b has scales.
func scaledPointGradient(s isa) {
	function("scaledPointGradient"+s.name, scaledSignature)
	rows := s.scaledPointGradientRows()
	sign := s.signs()
	x, sums := s.loadRows(rows, "x", "xRow"), s.zeros(rows)
	wRow := argument("wRow")
	weightOf, pointers := s.strip(rows, argument("w"), wRow)
	wStep, inner := argument("wStep"), argument("inner")
	b, scales, bRow := argument("b"), argument("bScale"), argument("bRow")

	Label("step")
	point, scale := s.vector(), s.vector()
	VMOVUPS(Mem{Base: b}, point)
	VMOVUPS(Mem{Base: scales}, scale)
	for r := range rows {
		weight, pulled := s.vector(), s.vector()
		VMOVAPS(x[r], pulled)
		VFMSUB213PS(point, scale, pulled) // x·scale - point
		VBROADCASTSS(weightOf(r), weight)
		s.withSign(sign, weight, pulled)
		VFNMADD231PS(pulled, scale, sums[r])
	}
	for _, p := range pointers {
		ADDQ(wStep, p)
	}
	ADDQ(bRow, b)
	ADDQ(bRow, scales)
	repeat(inner, "step")

	s.storeRows(sums, "y", "yRow")
	finish()
}
