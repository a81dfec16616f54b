package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// expRound generates tiles of exp(x - shift), rounded, and adds up the columns before
// they are rounded.
func expRound() {
	s := avx512
	TEXT("expRoundAVX512", NOSPLIT, "func(x *float32, rows, columns, stride int, shift, sum *float32, tile *uint16, tileRow int)")
	Pragma("noescape")
	Doc("expRoundAVX512 makes tiles of exponentials. columns is a multiple of 32; strides are in bytes, tileRow from 16 rows to the next.")
	x := Load(Param("x"), GP64())
	columns := Load(Param("columns"), GP64())
	stride := Load(Param("stride"), GP64())
	shifts := Load(Param("shift"), GP64())
	sums := Load(Param("sum"), GP64())
	tile := Load(Param("tile"), GP64())
	skip := Load(Param("tileRow"), GP64())
	SUBQ(U32(tileBytes), skip)
	e := newExponential(s)
	var shift, sum [2]reg.VecVirtual
	for i := range shift {
		shift[i], sum[i] = s.vector(), s.vector()
	}

	Label("columns")
	for i := range shift {
		VMOVUPS(Mem{Base: shifts, Disp: 64 * i}, shift[i])
		VMOVUPS(Mem{Base: sums, Disp: 64 * i}, sum[i])
	}
	rows := Load(Param("rows"), GP64())
	from, to, band := GP64(), GP64(), GP64()
	MOVQ(x, from)
	MOVQ(tile, to)
	MOVQ(U32(tileRows), band)
	Label("row")
	for i, whole := range []reg.Register{reg.Z30, reg.Z31} {
		v := s.vector()
		VMOVUPS(Mem{Base: from, Disp: 64 * i}, v)
		VSUBPS(shift[i], v, v)
		y := e.of(v)
		VADDPS(y, sum[i], sum[i])
		VMOVAPS(y, whole)
	}
	roundPair(reg.Z30, reg.Z31, reg.Z30)
	VMOVUPS(reg.Z30, Mem{Base: to})
	ADDQ(stride, from)
	ADDQ(U32(tileWidth), to)
	DECQ(band)
	JNZ(LabelRef("within"))
	ADDQ(skip, to)
	MOVQ(U32(tileRows), band)
	Label("within")
	DECQ(rows)
	JNZ(LabelRef("row"))
	for i := range sum {
		VMOVUPS(sum[i], Mem{Base: sums, Disp: 64 * i})
	}
	const width = 32
	for _, p := range []reg.Register{x, shifts, sums} {
		ADDQ(U32(4*width), p)
	}
	ADDQ(U32(tileBytes), tile)
	SUBQ(U32(width), columns)
	JG(LabelRef("columns"))
	VZEROUPPER()
	RET()
}
