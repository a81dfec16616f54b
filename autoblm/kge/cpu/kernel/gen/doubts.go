package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sift generates the count of numbers that are above the limits of their columns by more
// than a reach, which is the row's by the column's, and the marks of those within it.
func sift() {
	const greater, notGreater = 0x1e, 0x1a // quiet; what is not a number is not greater
	const marksOfRow = 16                  // in bytes
	s := avx512
	TEXT("siftAVX512", NOSPLIT, "func(x *float32, rows, columns, stride int, limit, whole, lost, byWhole, byLost *float32, least float32, above *int32, marks *uint16)")
	Pragma("noescape")
	Doc("siftAVX512 counts what is above the limits by more than the reach, and marks what is within it. stride is in bytes.")
	x := Load(Param("x"), GP64())
	columns := Load(Param("columns"), GP64())
	stride := Load(Param("stride"), GP64())
	above, marks := Load(Param("above"), GP64()), Load(Param("marks"), GP64())
	least := s.broadcast("least")
	one, size := s.vector(), s.vector()
	VPTERNLOGD(U8(0xff), one, one, one) // -1
	VPSRLD(U8(1), one, size)            // all bits but the sign
	offset := GP64()
	XORQ(offset, offset)

	Label("column")
	ofColumn := func(argument string) reg.VecVirtual {
		v := s.vector()
		VMOVUPS(Mem{Base: Load(Param(argument), GP64()), Index: offset, Scale: 1}, v)
		return v
	}
	limit, whole, lost, sum := ofColumn("limit"), ofColumn("whole"), ofColumn("lost"), ofColumn("above")
	at, mark := GP64(), GP64()
	LEAQ(Mem{Base: x, Index: offset, Scale: 1}, at)
	MOVQ(marks, mark)
	rows := Load(Param("rows"), GP64())
	byWhole, byLost := Load(Param("byWhole"), GP64()), Load(Param("byLost"), GP64())

	Label("row")
	reach, over, distance := s.vector(), s.vector(), s.vector()
	VMOVAPS(whole, reach)
	VFMADD132PS_BCST(Mem{Base: byWhole}, least, reach)
	VFMADD231PS_BCST(Mem{Base: byLost}, lost, reach)
	VMOVUPS(Mem{Base: at}, over)
	VSUBPS(limit, over, over)
	VPANDD(size, over, distance)
	within, beyond := K(), K()
	VCMPPS(U8(notGreater), reach, distance, within)
	KMOVW(within, Mem{Base: mark})
	VCMPPS(U8(greater), reach, over, beyond)
	VPSUBD(one, sum, beyond, sum)
	ADDQ(stride, at)
	ADDQ(U32(marksOfRow), mark)
	ADDQ(U32(4), byWhole)
	ADDQ(U32(4), byLost)
	DECQ(rows)
	JNZ(LabelRef("row"))

	VMOVUPS(sum, Mem{Base: above, Index: offset, Scale: 1})
	ADDQ(U32(2), marks)
	ADDQ(U32(s.bytes()), offset)
	SUBQ(U32(s.lanes), columns)
	JG(LabelRef("column"))
	VZEROUPPER()
	RET()
}

// dots generates the scalar products of pairs of rows of two tables.
func dots() {
	const sums = 4
	s := avx512
	TEXT("dotsAVX512", NOSPLIT, "func(to *float32, pairs *int32, n int, a *float32, aRow int, b *float32, bRow, width int)")
	Pragma("noescape")
	Doc("dotsAVX512 makes the scalar products of pairs of rows, whose width is a multiple of 16. Strides are in bytes.")
	to, pairs, n := Load(Param("to"), GP64()), Load(Param("pairs"), GP64()), Load(Param("n"), GP64())
	a, aRow := Load(Param("a"), GP64()), Load(Param("aRow"), GP64())
	b, bRow := Load(Param("b"), GP64()), Load(Param("bRow"), GP64())
	left, right, width := GP64(), GP64(), GP64()

	Label("pair")
	MOVLQSX(Mem{Base: pairs}, left)
	MOVLQSX(Mem{Base: pairs, Disp: 4}, right)
	IMULQ(aRow, left)
	IMULQ(bRow, right)
	ADDQ(a, left)
	ADDQ(b, right)
	Load(Param("width"), width)
	sum := s.vectors(sums)
	for _, v := range sum {
		s.zero(v)
	}
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
	half, low := YMM(), sum[0].AsY()
	VEXTRACTF64X4(U8(1), sum[0], half)
	VADDPS(half, low, low)
	quarter, rest := XMM(), sum[0].AsX()
	VEXTRACTF128(U8(1), low, quarter)
	VADDPS(quarter, rest, rest)
	VPERMILPS(U8(0x4e), rest, quarter)
	VADDPS(quarter, rest, rest)
	VMOVSHDUP(rest, quarter)
	VADDSS(quarter, rest, rest)
	VMOVSS(rest, Mem{Base: to})
	ADDQ(U32(8), pairs)
	ADDQ(U32(4), to)
	DECQ(n)
	JNZ(LabelRef("pair"))
	VZEROUPPER()
	RET()
}

// squares generates the sums of the squares of rows, of the rows rounded, and of what
// rounding takes away.
func squares() {
	TEXT("squaresAVX512", NOSPLIT, "func(x *float32, rows, width, stride int, to *float32)")
	Pragma("noescape")
	Doc("squaresAVX512 adds up the squares of rows, whose width is a multiple of 16. stride is in bytes.")
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
		half, quarter := reg.Y5, reg.X5
		low, rest := sum.AsY(), sum.AsX()
		VEXTRACTF64X4(U8(1), sum, half)
		VADDPS(half, low, low)
		VEXTRACTF128(U8(1), low, quarter)
		VADDPS(quarter, rest, rest)
		VPERMILPS(U8(0x4e), rest, quarter)
		VADDPS(quarter, rest, rest)
		VMOVSHDUP(rest, quarter)
		VADDSS(quarter, rest, rest)
		VMOVSS(rest, Mem{Base: to, Disp: 4 * i})
	}
	ADDQ(stride, x)
	ADDQ(U32(12), to)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
