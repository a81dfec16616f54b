package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// product generates C = A·B or C += A·B for columns of C that are width registers wide, in
// strips of as many rows as the registers hold. A strip of C stays in registers along the
// inner dimension: each step loads a row of B and multiplies it by one float of each row of A.
func product(s isa, width int) {
	function(fmt.Sprintf("product%sx%d", s.name, width), "func(strips, inner int, "+
		"a *float32, aRow, aStep int, b *float32, bRow int, c *float32, cRow int, add bool)")
	strips, a, aRow := argument("strips"), argument("a"), argument("aRow")
	aStep, bRow, c := argument("aStep"), argument("bRow"), argument("c")
	cRow := argument("cRow")

	sums := make([][]reg.VecVirtual, s.rows)
	for r := range sums {
		sums[r] = s.vectors(width)
	}
	// eachRow visits the rows of the strip in c.
	eachRow := func(f func(row, column int, at Mem)) {
		at := GP64()
		MOVQ(c, at)
		for r := range s.rows {
			for j := range width {
				f(r, j, Mem{Base: at, Disp: j * s.bytes()})
			}
			ADDQ(cRow, at)
		}
	}

	Label("strip")
	add := Load(Param("add"), GP8())
	TESTB(add, add)
	JZ(LabelRef("fresh"))
	eachRow(func(r, j int, at Mem) { VMOVUPS(at, sums[r][j]) })
	JMP(LabelRef("begin"))
	Label("fresh")
	for r := range sums {
		for j := range width {
			s.zero(sums[r][j])
		}
	}

	Label("begin")
	inner, b := argument("inner"), argument("b")
	rowOfA, pointers := s.strip(s.rows, a, aRow)

	Label("step")
	row := s.vectors(width)
	for j := range width {
		VMOVUPS(Mem{Base: b, Disp: j * s.bytes()}, row[j])
	}
	for r := range s.rows {
		x := s.vector()
		VBROADCASTSS(rowOfA(r), x)
		for j := range width {
			VFMADD231PS(x, row[j], sums[r][j])
		}
	}
	for _, p := range pointers {
		ADDQ(aStep, p)
	}
	ADDQ(bRow, b)
	repeat(inner, "step")

	eachRow(func(r, j int, at Mem) { VMOVUPS(sums[r][j], at) })
	for range s.rows {
		ADDQ(cRow, c)
		ADDQ(aRow, a)
	}
	repeat(strips, "strip")
	finish()
}
