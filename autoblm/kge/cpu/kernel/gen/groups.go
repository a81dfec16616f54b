package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// penalizeGroups generates g += slope·‖z‖·x for groups z of one number of each part of a row, and
// the sums of ‖z‖³ in each lane. The last register of a part is masked.
func penalizeGroups(s isa) {
	function("penalizeGroups"+s.name,
		"func(gradient, x *float32, rows, width, parts, stride int, slope float32, cubes *float32)")
	slope, cubes := s.broadcast("slope"), s.vector()
	s.zero(cubes)
	g, x := argument("gradient"), argument("x")
	rows, width, parts := argument("rows"), argument("width"), argument("parts")
	tail := tailMask(s, width)
	apart := GP64() // bytes from part to part
	MOVQ(width, apart)
	SHLQ(U8(2), apart)

	// groups penalizes the groups of one register at a byte offset in the first part.
	groups := func(offset reg.Register, name string, load, store func(v reg.VecVirtual, at Mem)) {
		square, norm := s.vector(), s.vector()
		at, count := GP64(), GP64()
		s.zero(square)
		LEAQ(indexed(x, offset), at)
		MOVQ(parts, count)
		Label("square" + name)
		v := s.vector()
		load(v, Mem{Base: at})
		VFMADD231PS(v, v, square)
		ADDQ(apart, at)
		repeat(count, "square"+name)

		VSQRTPS(square, norm)
		VFMADD231PS(square, norm, cubes)
		VMULPS(slope, norm, norm)

		to := GP64()
		LEAQ(indexed(x, offset), at)
		LEAQ(indexed(g, offset), to)
		MOVQ(parts, count)
		Label("gradient" + name)
		w := s.vector()
		load(v, Mem{Base: at})
		load(w, Mem{Base: to})
		VFMADD231PS(v, norm, w)
		store(w, Mem{Base: to})
		ADDQ(apart, at)
		ADDQ(apart, to)
		repeat(count, "gradient"+name)
	}

	Label("row")
	left, offset := GP64(), GP64()
	MOVQ(width, left)
	XORQ(offset, offset)
	CMPQ(left, U32(s.lanes))
	JL(LabelRef("tail"))
	Label("full")
	groups(offset, "", func(v reg.VecVirtual, at Mem) { VMOVUPS(at, v) },
		func(v reg.VecVirtual, at Mem) { VMOVUPS(v, at) })
	ADDQ(U32(s.bytes()), offset)
	SUBQ(U32(s.lanes), left)
	CMPQ(left, U32(s.lanes))
	JGE(LabelRef("full"))
	Label("tail")
	TESTQ(left, left)
	JZ(LabelRef("next"))
	groups(offset, "Tail", func(v reg.VecVirtual, at Mem) { tail.load(at, v) }, tail.store)
	Label("next")
	stride := argument("stride")
	ADDQ(stride, g)
	ADDQ(stride, x)
	repeat(rows, "row")
	VMOVUPS(cubes, Mem{Base: argument("cubes")})
	finish()
}
