package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	boundRows = 8 // BoundRows of package kernel
	// A word of marks is 64 bits for four rows by 16 columns. Eight words for neighbouring
	// columns precede those for the next four rows.
	markedRows = 4
	groupBytes = 8 * 8
)

// countNotAbove generates the counts of values that do not exceed the limits of their columns
// by more than their error bounds, and the marks of those within the bounds.
func countNotAbove() {
	const notGreater, notLess = 0x1a, 0x15 // quiet; true for NaN
	s := avx512
	function("countNotAboveAVX512", "func(x *float32, rows, columns, stride int, "+
		"limit, whole, lost, byWhole, byLost *float32, least float32, notAbove *int32, marks *uint64)")
	x, columns, stride := argument("x"), argument("columns"), argument("stride")
	counts, marks := argument("notAbove"), argument("marks")
	least, one := s.broadcast("least"), s.vector()
	VPTERNLOGD(U8(0xff), one, one, one) // -1
	offset := GP64()
	XORQ(offset, offset)

	Label("column")
	ofColumn := func(name string) reg.VecVirtual {
		v := s.vector()
		VMOVUPS(Mem{Base: argument(name), Index: offset, Scale: 1}, v)
		return v
	}
	limit, whole := ofColumn("limit"), ofColumn("whole")
	lost, sum := ofColumn("lost"), ofColumn("notAbove")
	at, mark := GP64(), GP64()
	LEAQ(indexed(x, offset), at)
	MOVQ(marks, mark)
	rows, byWhole, byLost := argument("rows"), argument("byWhole"), argument("byLost")

	Label("reach")
	highest, lowest := s.vector(), s.vector()
	VMOVAPS(whole, highest)
	VFMADD132PS_BCST(Mem{Base: byWhole}, least, highest)
	VFMADD231PS_BCST(Mem{Base: byLost}, lost, highest)
	VSUBPS_RD_SAE(highest, limit, lowest)
	VADDPS_RU_SAE(highest, limit, highest)
	ADDQ(U32(4), byWhole)
	ADDQ(U32(4), byLost)
	each := func(row Mem, mark Mem) {
		v, within, notAbove := s.vector(), K(), K()
		VMOVUPS(row, v)
		VCMPPS(U8(notGreater), highest, v, notAbove)
		VCMPPS(U8(notLess), lowest, v, notAbove, within)
		VPSUBD(one, sum, notAbove, sum)
		KMOVW(within, mark)
	}
	CMPQ(rows, U32(boundRows))
	JL(LabelRef("row"))
	for row := range boundRows {
		each(Mem{Base: at}, Mem{Base: mark, Disp: 2*(row%markedRows) + row/markedRows*groupBytes})
		ADDQ(stride, at)
	}
	ADDQ(U32(boundRows/markedRows*groupBytes), mark)
	SUBQ(U32(boundRows), rows)
	JNZ(LabelRef("reach"))
	JMP(LabelRef("end"))
	Label("row") // one of the last rows, fewer than boundRows
	each(Mem{Base: at}, Mem{Base: mark})
	ADDQ(stride, at)
	ADDQ(U32(2), mark)
	DECQ(rows)
	JZ(LabelRef("end"))
	TESTQ(U32(7), mark)
	JNZ(LabelRef("row"))
	ADDQ(U32(groupBytes-8), mark)
	JMP(LabelRef("row"))

	Label("end")
	VMOVUPS(sum, indexed(counts, offset))
	ADDQ(U32(8), marks)
	ADDQ(U32(s.bytes()), offset)
	SUBQ(U32(s.lanes), columns)
	JG(LabelRef("column"))
	finish()
}

// positions generates the list of marked positions and their number. It takes two marks of each
// word without a branch, whether there are two or not.
func positions() {
	function("positionsAVX512", "func(marks *uint64, numbers int, places *uint32) int")
	const always = 2
	from, numbers := argument("marks"), argument("numbers")
	first, to := GP32(), argument("places")
	count, marks, place := GP64(), GP64(), GP64()
	XORQ(count, count)
	XORL(first, first)
	next := func() {
		TZCNTQ(marks, place)
		ADDL(first, place.As32())
		MOVL(place.As32(), Mem{Base: to, Index: count, Scale: 4})
	}
	Label("number")
	MOVQ(Mem{Base: from}, marks)
	for range always {
		next()
		CMPQ(marks, U8(1)) // there is a carry if there is none
		SBBQ(I8(-1), count)
		BLSRQ(marks, marks)
	}
	TESTQ(marks, marks)
	JZ(LabelRef("done"))
	Label("more")
	next()
	INCQ(count)
	BLSRQ(marks, marks)
	JNZ(LabelRef("more"))
	Label("done")
	ADDQ(U32(8), from)
	ADDL(U32(64), first)
	repeat(numbers, "number")
	Store(count, ReturnIndex(0))
	RET()
}

// recheck generates float32 products of rows of two tables at given positions, and compares
// them with the limits of their columns. It decrements the counts of those above, and keeps the
// positions of those within the error bound. The outcomes are random, so no branch depends on
// them: a position is always stored, and the next one overwrites it unless it is uncertain.
func recheck() {
	const sums, ahead, lines = 4, 12, 4
	s := avx512
	function("recheckAVX512", "func(places *uint32, n int, a *float32, aRow int, b *float32, "+
		"bRow, width int, limit, whole, byWhole *float32, least float32, notAbove *int32) int")
	places, n := argument("places"), argument("n")
	a, b := argument("a"), argument("b")
	limits, wholes := argument("limit"), argument("whole")
	kept := GP64()
	MOVQ(places, kept)
	least := s.broadcast("least").AsX()

	// bitsOf extracts bits of a position and adds them to number, shifted to bit at.
	bitsOf := func(place, number reg.GPVirtual, from, bits, at int) {
		part := GP64()
		MOVQ(place, part)
		ANDL(U32((1<<bits-1)<<from), part.As32())
		if from > at {
			SHRL(U8(from-at), part.As32())
		}
		ADDQ(part, number)
	}
	rowOf := func(place, row reg.GPVirtual) {
		XORL(row.As32(), row.As32())
		bitsOf(place, row, 4, 2, 0)
		bitsOf(place, row, 9, 23, 2)
	}
	Label("place")
	CMPQ(n, U32(ahead))
	JLE(LabelRef("last"))
	soon := GP64()
	later := GP64()
	MOVL(Mem{Base: places, Disp: 4 * ahead}, later.As32())
	rowOf(later, soon)
	IMULQ(NewParamAddr("aRow", 24), soon)
	for line := range lines { // rows come in random order, so they may not be cached
		PREFETCHT0(Mem{Base: a, Index: soon, Scale: 1, Disp: 64 * line})
	}
	Label("last")
	place, row, column := GP64(), GP64(), GP64()
	MOVL(Mem{Base: places}, place.As32())
	rowOf(place, row)
	XORL(column.As32(), column.As32())
	bitsOf(place, column, 0, 4, 0)
	bitsOf(place, column, 6, 3, 4)
	left, right, width := GP64(), GP64(), GP64()
	MOVQ(row, left)
	MOVQ(column, right)
	IMULQ(NewParamAddr("aRow", 24), left)
	IMULQ(NewParamAddr("bRow", 40), right)
	ADDQ(a, left)
	ADDQ(b, right)
	Load(Param("width"), width)
	sum := s.zeros(sums)
	step := func(count int) {
		for i := range count {
			v := s.vector()
			VMOVUPS(Mem{Base: left, Disp: i * s.bytes()}, v)
			VFMADD231PS(Mem{Base: right, Disp: i * s.bytes()}, v, sum[i])
		}
		ADDQ(U32(count*s.bytes()), left)
		ADDQ(U32(count*s.bytes()), right)
		SUBQ(U32(count*s.lanes), width)
	}
	CMPQ(width, U32(sums*s.lanes))
	JL(LabelRef("narrow"))
	Label("wide")
	step(sums)
	CMPQ(width, U32(sums*s.lanes))
	JGE(LabelRef("wide"))
	Label("narrow")
	TESTQ(width, width)
	JZ(LabelRef("add"))
	step(1)
	JMP(LabelRef("narrow"))

	Label("add")
	VADDPS(sum[1], sum[0], sum[0])
	VADDPS(sum[3], sum[2], sum[2])
	VADDPS(sum[2], sum[0], sum[0])
	over := sum[0].AsX()
	sumLanes(sum[0], YMM(), XMM())

	// Compare the distance above and below the limit with the bound; NaN is neither.
	VSUBSS(Mem{Base: limits, Index: column, Scale: 4}, over, over)
	reach, under := XMM(), XMM()
	VMOVSS(Mem{Base: wholes, Index: column, Scale: 4}, reach)
	byWhole := argument("byWhole")
	VFMADD132SS(Mem{Base: byWhole, Index: row, Scale: 4}, least, reach)
	VXORPS(under, under, under)
	VSUBSS(over, under, under)
	counts, isAbove, isBelow := argument("notAbove"), GP32(), GP32()
	XORL(isAbove, isAbove)
	XORL(isBelow, isBelow)
	VUCOMISS(reach, over)
	SETHI(isAbove.As8())
	VUCOMISS(reach, under)
	SETHI(isBelow.As8())
	SUBL(isAbove, Mem{Base: counts, Index: column, Scale: 4})
	MOVL(place.As32(), Mem{Base: kept})
	ORL(isAbove, isBelow)
	XORL(U32(1), isBelow)
	LEAQ(Mem{Base: kept, Index: isBelow.As64(), Scale: 4}, kept)
	ADDQ(U32(4), places)
	repeat(n, "place")
	VZEROUPPER()
	SUBQ(argument("places"), kept)
	SHRQ(U8(2), kept)
	Store(kept, ReturnIndex(0))
	RET()
}

// sumLanes adds all lanes of a register in its lowest one. It overwrites half and quarter.
func sumLanes(sum interface {
	reg.Vec
	reg.Register
}, half, quarter reg.Register) {
	low, rest := sum.AsY(), sum.AsX()
	VEXTRACTF64X4(U8(1), sum, half)
	VADDPS(half, low, low)
	VEXTRACTF128(U8(1), low, quarter)
	VADDPS(quarter, rest, rest)
	VPERMILPS(U8(0x4e), rest, quarter)
	VADDPS(quarter, rest, rest)
	VMOVSHDUP(rest, quarter)
	VADDSS(quarter, rest, rest)
}

// squaredNorms generates the squared norms of rows, of the rounded rows, and of the rounding
// errors. The width is a multiple of 16.
func squaredNorms() {
	function("squaredNormsAVX512", "func(x *float32, rows, width, stride int, to *float32)")
	x, rows, to, stride := reg.RSI, reg.RBX, reg.RDI, reg.R8
	Load(Param("x"), x)
	Load(Param("rows"), rows)
	Load(Param("stride"), stride)
	Load(Param("to"), to)
	number, rounded := reg.Z0, reg.Z1
	sums := []reg.VecPhysical{reg.Z2, reg.Z3, reg.Z4}

	Label("row")
	from, width := reg.RAX, reg.RCX
	MOVQ(x, from)
	Load(Param("width"), width)
	for _, sum := range sums {
		VPXORD(sum, sum, sum)
	}
	Label("step")
	VMOVUPS(Mem{Base: from}, number)
	roundPair(rounded, number, number)
	VPMOVZXWD(rounded.AsY(), rounded)
	VPSLLD(U8(16), rounded, rounded)
	VFMADD231PS(number, number, sums[0])
	VFMADD231PS(rounded, rounded, sums[1])
	VSUBPS(rounded, number, number)
	VFMADD231PS(number, number, sums[2])
	ADDQ(U32(64), from)
	SUBQ(U32(16), width)
	JNZ(LabelRef("step"))
	for i, sum := range sums {
		sumLanes(sum, reg.Y5, reg.X5)
		VMOVSS(sum.AsX(), Mem{Base: to, Disp: 4 * i})
	}
	ADDQ(stride, x)
	ADDQ(U32(12), to)
	repeat(rows, "row")
	finish()
}
