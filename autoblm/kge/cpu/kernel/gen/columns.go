package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// downColumns generates a function over a table of rows×columns floats. For each register of
// columns it calls begin with the byte offset of the columns, each for every row, and end
// with the offset.
func downColumns(s isa, name, arguments string, begin func(offset reg.GPVirtual),
	each func(at Mem), end func(offset reg.GPVirtual)) {
	TEXT(name+s.name, NOSPLIT, fmt.Sprintf("func(x *float32, rows, columns, stride int%s)", arguments))
	Pragma("noescape")
	x := Load(Param("x"), GP64())
	columns := Load(Param("columns"), GP64())
	stride := Load(Param("stride"), GP64())
	offset := GP64()
	XORQ(offset, offset)
	Label("column")
	begin(offset)
	rows := Load(Param("rows"), GP64())
	at := GP64()
	LEAQ(Mem{Base: x, Index: offset, Scale: 1}, at)
	Label("row")
	each(Mem{Base: at})
	ADDQ(stride, at)
	DECQ(rows)
	JNZ(LabelRef("row"))
	end(offset)
	ADDQ(U32(s.bytes()), offset)
	SUBQ(U32(s.lanes), columns)
	JG(LabelRef("column"))
	VZEROUPPER()
	RET()
}

// columnMax generates the maxima of columns.
func columnMax(s isa) {
	var most reg.GPVirtual
	largest := s.vector
	var v reg.VecVirtual
	downColumns(s, "columnMax", ", most *float32",
		func(offset reg.GPVirtual) {
			most = Load(Param("most"), GP64()).(reg.GPVirtual)
			v = largest()
			VMOVUPS(Mem{Base: most, Index: offset, Scale: 1}, v)
		},
		func(at Mem) {
			x := s.vector()
			VMOVUPS(at, x)
			VMAXPS(v, x, v) // returns the second source, v, if x is NaN
		},
		func(offset reg.GPVirtual) { VMOVUPS(v, Mem{Base: most, Index: offset, Scale: 1}) })
}

// scaleColumns generates the product of each column with its factor.
func scaleColumns(s isa) {
	var factor reg.VecVirtual
	downColumns(s, "scaleColumns", ", factor *float32",
		func(offset reg.GPVirtual) {
			factors := Load(Param("factor"), GP64())
			factor = s.vector()
			VMOVUPS(Mem{Base: factors, Index: offset, Scale: 1}, factor)
		},
		func(at Mem) {
			x := s.vector()
			VMULPS(at, factor, x)
			VMOVUPS(x, at)
		},
		func(reg.GPVirtual) {})
}

// expSum generates exp(x - shift) and the sums of its columns.
func expSum(s isa) {
	var sums reg.GPVirtual
	var shift, sum reg.VecVirtual
	var e exponential
	downColumns(s, "expSum", ", shift, sum *float32",
		func(offset reg.GPVirtual) {
			e = newExponential(s)
			shifts := Load(Param("shift"), GP64())
			sums = Load(Param("sum"), GP64()).(reg.GPVirtual)
			shift, sum = s.vector(), s.vector()
			VMOVUPS(Mem{Base: shifts, Index: offset, Scale: 1}, shift)
			s.zero(sum)
		},
		func(at Mem) {
			x := s.vector()
			VMOVUPS(at, x)
			VSUBPS(shift, x, x)
			y := e.of(x)
			VADDPS(y, sum, sum)
			VMOVUPS(y, at)
		},
		func(offset reg.GPVirtual) {
			VADDPS(Mem{Base: sums, Index: offset, Scale: 1}, sum, sum)
			VMOVUPS(sum, Mem{Base: sums, Index: offset, Scale: 1})
		})
}

// count generates the counts of values above the limit of their column, and at least at it.
func count(s isa) {
	const greater, greaterOrEqual = 0x1e, 0x1d // ordered, quiet
	var above, atLeast reg.GPVirtual
	var limit, sumAbove, sumAtLeast, one reg.VecVirtual
	downColumns(s, "count", ", limit *float32, above, atLeast *int32",
		func(offset reg.GPVirtual) {
			limits := Load(Param("limit"), GP64())
			above = Load(Param("above"), GP64()).(reg.GPVirtual)
			atLeast = Load(Param("atLeast"), GP64()).(reg.GPVirtual)
			limit, sumAbove, sumAtLeast = s.vector(), s.vector(), s.vector()
			VMOVUPS(Mem{Base: limits, Index: offset, Scale: 1}, limit)
			VMOVUPS(Mem{Base: above, Index: offset, Scale: 1}, sumAbove)
			VMOVUPS(Mem{Base: atLeast, Index: offset, Scale: 1}, sumAtLeast)
			if s == avx512 {
				one = s.vector()
				VPTERNLOGD(U8(0xff), one, one, one) // -1
			}
		},
		func(at Mem) {
			x := s.vector()
			VMOVUPS(at, x)
			for _, c := range []struct {
				predicate U8
				sum       reg.VecVirtual
			}{{greater, sumAbove}, {greaterOrEqual, sumAtLeast}} {
				if s == avx512 {
					mask := K()
					VCMPPS(c.predicate, limit, x, mask)
					VPSUBD(one, c.sum, mask, c.sum)
				} else {
					mask := s.vector()
					VCMPPS(c.predicate, limit, x, mask)
					VPSUBD(mask, c.sum, c.sum)
				}
			}
		},
		func(offset reg.GPVirtual) {
			VMOVUPS(sumAbove, Mem{Base: above, Index: offset, Scale: 1})
			VMOVUPS(sumAtLeast, Mem{Base: atLeast, Index: offset, Scale: 1})
		})
}
