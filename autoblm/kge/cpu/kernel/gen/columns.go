package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// downColumns generates a function over a table of rows×columns floats. For each register of
// columns it calls begin with the byte offset of the columns, each for every row, and end
// with the offset.
func downColumns(s isa, name, arguments string, begin func(offset reg.GPVirtual),
	each func(at Mem), end func(offset reg.GPVirtual)) {
	function(name+s.name, "func(x *float32, rows, columns, stride int"+arguments+")")
	x, columns, stride := argument("x"), argument("columns"), argument("stride")
	offset := GP64()
	XORQ(offset, offset)
	Label("column")
	begin(offset)
	rows := argument("rows")
	at := GP64()
	LEAQ(indexed(x, offset), at)
	Label("row")
	each(Mem{Base: at})
	ADDQ(stride, at)
	repeat(rows, "row")
	end(offset)
	ADDQ(U32(s.bytes()), offset)
	SUBQ(U32(s.lanes), columns)
	JG(LabelRef("column"))
	finish()
}

// columnMax generates the maxima of columns.
func columnMax(s isa) {
	var most reg.GPVirtual
	var v reg.VecVirtual
	downColumns(s, "columnMax", ", most *float32",
		func(offset reg.GPVirtual) {
			most = argument("most")
			v = s.vector()
			VMOVUPS(indexed(most, offset), v)
		},
		func(at Mem) {
			x := s.vector()
			VMOVUPS(at, x)
			VMAXPS(v, x, v) // returns the second source, v, if x is NaN
		},
		func(offset reg.GPVirtual) { VMOVUPS(v, indexed(most, offset)) })
}

// scaleColumns generates the product of each column with its factor.
func scaleColumns(s isa) {
	var factor reg.VecVirtual
	downColumns(s, "scaleColumns", ", factor *float32",
		func(offset reg.GPVirtual) {
			factors := argument("factor")
			factor = s.vector()
			VMOVUPS(indexed(factors, offset), factor)
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
			shifts := argument("shift")
			sums = argument("sum")
			shift, sum = s.vector(), s.vector()
			VMOVUPS(indexed(shifts, offset), shift)
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
			VADDPS(indexed(sums, offset), sum, sum)
			VMOVUPS(sum, indexed(sums, offset))
		})
}

// count generates the counts of values above the limit of their column, and at least at it.
func count(s isa) {
	const greater, greaterOrEqual = 0x1e, 0x1d // ordered, quiet
	var above, atLeast reg.GPVirtual
	var limit, sumAbove, sumAtLeast, one reg.VecVirtual
	downColumns(s, "count", ", limit *float32, above, atLeast *int32",
		func(offset reg.GPVirtual) {
			limits := argument("limit")
			above, atLeast = argument("above"), argument("atLeast")
			limit, sumAbove, sumAtLeast = s.vector(), s.vector(), s.vector()
			VMOVUPS(indexed(limits, offset), limit)
			VMOVUPS(indexed(above, offset), sumAbove)
			VMOVUPS(indexed(atLeast, offset), sumAtLeast)
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
			VMOVUPS(sumAbove, indexed(above, offset))
			VMOVUPS(sumAtLeast, indexed(atLeast, offset))
		})
}
