package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mulAdd generates y += sign·a·b for rows of any width; the last register of a row is masked.
func mulAdd(s isa) {
	function("mulAdd"+s.name, "func(y, a, b *float32, rows, width, stride int, sign float32)")
	sign := s.broadcast("sign")
	y, a, b := argument("y"), argument("a"), argument("b")
	rows, width, stride := argument("rows"), argument("width"), argument("stride")
	tail := tailMask(s, width)

	Label("row")
	left := GP64()
	MOVQ(width, left)
	offset := GP64()
	XORQ(offset, offset)
	at := func(base reg.Register) Mem { return indexed(base, offset) }
	CMPQ(left, U32(s.lanes))
	JL(LabelRef("tail"))
	Label("full")
	v, w := s.vector(), s.vector()
	VMULPS(at(a), sign, v)
	VMOVUPS(at(y), w)
	VFMADD231PS(at(b), v, w)
	VMOVUPS(w, at(y))
	ADDQ(U32(s.bytes()), offset)
	SUBQ(U32(s.lanes), left)
	CMPQ(left, U32(s.lanes))
	JGE(LabelRef("full"))
	Label("tail")
	TESTQ(left, left)
	JZ(LabelRef("next"))
	va, vb, vy := s.vector(), s.vector(), s.vector()
	tail.load(at(a), va)
	tail.load(at(b), vb)
	tail.load(at(y), vy)
	VMULPS(sign, va, va)
	VFMADD231PS(vb, va, vy)
	tail.store(vy, at(y))
	Label("next")
	ADDQ(stride, y)
	ADDQ(stride, a)
	ADDQ(stride, b)
	repeat(rows, "row")
	finish()
}

// mask selects the lanes that the last floats of a row fill.
type mask struct {
	k reg.OpmaskVirtual // AVX-512
	v reg.VecVirtual    // AVX2: sign bits
}

func tailMask(s isa, width reg.Register) mask {
	remainder := GP64()
	MOVQ(width, remainder)
	ANDQ(U32(s.lanes-1), remainder)
	if s == avx512 {
		bits := GP64()
		MOVQ(I32(-1), bits)
		BZHIQ(remainder, bits, bits)
		k := K()
		KMOVW(bits.As32(), k)
		return mask{k: k}
	}
	at := GP64()
	LEAQ(tailTable(), at)
	SHLQ(U8(2), remainder)
	SUBQ(remainder, at)
	v := s.vector()
	VMOVDQU(Mem{Base: at, Disp: 32}, v)
	return mask{v: v}
}

var tail Mem

// tailTable returns eight times -1, then eight zeros: a register read n floats before the
// middle has n lanes set.
func tailTable() Mem {
	if tail.Base == nil {
		tail = GLOBL("tailTable", RODATA|NOPTR)
		for i := range 16 {
			value := U32(0)
			if i < 8 {
				value = 0xffffffff
			}
			DATA(4*i, value)
		}
	}
	return tail
}

func (m mask) load(from Mem, to reg.VecVirtual) {
	if m.k != nil {
		VMOVUPS_Z(from, m.k, to)
	} else {
		VMASKMOVPS(from, m.v, to)
	}
}

func (m mask) store(from reg.VecVirtual, to Mem) {
	if m.k != nil {
		VMOVUPS(from, m.k, to)
	} else {
		VMASKMOVPS(from, m.v, to)
	}
}

// along generates a loop over n floats, a multiple of a register, followed by after.
func along(s isa, n reg.Register, body func(offset reg.GPVirtual), after func()) {
	offset := GP64()
	XORQ(offset, offset)
	Label("next")
	body(offset)
	ADDQ(U32(s.bytes()), offset)
	SUBQ(U32(s.lanes), n)
	JG(LabelRef("next"))
	after()
	finish()
}

func nothing() {}

// scale generates y = factor·x and y += factor·x.
func scale(s isa) {
	for _, add := range []bool{false, true} {
		name := "scale"
		if add {
			name = "scaleAdd"
		}
		function(name+s.name, "func(y, x *float32, n int, factor float32)")
		factor := s.broadcast("factor")
		y, x, n := argument("y"), argument("x"), argument("n")
		along(s, n, func(offset reg.GPVirtual) {
			v := s.vector()
			at := indexed(y, offset)
			if add {
				VMOVUPS(at, v)
				VFMADD231PS(indexed(x, offset), factor, v)
			} else {
				VMULPS(indexed(x, offset), factor, v)
			}
			VMOVUPS(v, at)
		}, nothing)
	}
}

// dot generates the sum of products x·y in each lane.
func dot(s isa) {
	function("dot"+s.name, "func(x, y *float32, n int, sums *float32)")
	x, y, n := argument("x"), argument("y"), argument("n")
	sum := s.vector()
	s.zero(sum)
	along(s, n, func(offset reg.GPVirtual) {
		v := s.vector()
		VMOVUPS(indexed(x, offset), v)
		VFMADD231PS(indexed(y, offset), v, sum)
	}, func() { VMOVUPS(sum, Mem{Base: argument("sums")}) })
}

// adagrad generates sum += g², x -= rate·g / (√sum + 1e-10), and then rounds x to
// the grid of kernel.Set.Adagrad.
func adagrad(s isa) {
	function("adagrad"+s.name, "func(x, gradient, sum *float32, n int, rate float32)")
	rate := s.broadcast("rate")
	epsilon := s.constant("adagradEpsilon", 1e-10)
	grid := s.constant("adagradGrid", 1e-10)
	x, slope, sum := argument("x"), argument("gradient"), argument("sum")
	n := argument("n")
	along(s, n, func(offset reg.GPVirtual) {
		at := func(base reg.Register) Mem { return indexed(base, offset) }
		gradient, total, root := s.vector(), s.vector(), s.vector()
		VMOVUPS(at(slope), gradient)
		VMOVUPS(at(sum), total)
		VFMADD231PS(gradient, gradient, total)
		VMOVUPS(total, at(sum))
		VSQRTPS(total, root)
		VADDPS(epsilon, root, root)
		VMULPS(rate, gradient, gradient)
		VDIVPS(root, gradient, gradient)
		VMOVUPS(at(x), total)
		VSUBPS(gradient, total, total)
		VADDPS(grid, total, total)
		VSUBPS(grid, total, total)
		VMOVUPS(total, at(x))
	}, nothing)
}

// adam generates mean = 0.9·mean + 0.1·g, square = 0.999·square + 0.001·g²,
// x -= rate·mean / (√(correction·square) + 1e-8); see kernel.Set.Adam.
func adam(s isa) {
	function("adam"+s.name,
		"func(x, gradient, mean, square *float32, n int, rate, correction float32)")
	rate, correction := s.broadcast("rate"), s.broadcast("correction")
	beta1, rest1 := s.constant("adamBeta1", 0.9), s.constant("adamRest1", 0.1)
	beta2, rest2 := s.constant("adamBeta2", 0.999), s.constant("adamRest2", 0.001)
	epsilon, grid := s.constant("adamEpsilon", 1e-8), s.constant("adamGrid", 1e-20)
	x, slope, mean, square := argument("x"), argument("gradient"), argument("mean"), argument("square")
	n := argument("n")
	along(s, n, func(offset reg.GPVirtual) {
		at := func(base reg.Register) Mem { return indexed(base, offset) }
		gradient, m, v := s.vector(), s.vector(), s.vector()
		VMOVUPS(at(slope), gradient)
		VMULPS(at(square), beta2, v)
		VMULPS(gradient, rest2, m)
		VFMADD231PS(gradient, m, v)
		VMOVUPS(v, at(square))
		VMULPS(at(mean), beta1, m)
		VFMADD231PS(gradient, rest1, m)
		VADDPS(grid, m, m)
		VSUBPS(grid, m, m)
		VMOVUPS(m, at(mean))
		VMULPS(correction, v, v)
		VSQRTPS(v, v)
		VADDPS(epsilon, v, v)
		VMULPS(rate, m, m)
		VDIVPS(v, m, m)
		VMOVUPS(at(x), v)
		VSUBPS(m, v, v)
		VMOVUPS(v, at(x))
	}, nothing)
}

// power generates y = x^(eighths/8) as a product of roots: bit 3 of eighths stands for x, bit 2 for
// √x, and so on.
func power(s isa) {
	function("power"+s.name, "func(y, x *float32, n, eighths int)")
	one := s.constant("one", 1)
	y, x, n, eighths := argument("y"), argument("x"), argument("n"), argument("eighths")
	along(s, n, func(offset reg.GPVirtual) {
		root, product, bits := s.vector(), s.vector(), GP64()
		VMOVUPS(indexed(x, offset), root)
		VMOVUPS(one, product)
		MOVQ(eighths, bits)
		Label("bit")
		TESTQ(U32(8), bits)
		JZ(LabelRef("unset"))
		VMULPS(root, product, product)
		Label("unset")
		ADDQ(bits, bits)
		ANDQ(U32(15), bits)
		JZ(LabelRef("done"))
		VSQRTPS(root, root)
		JMP(LabelRef("bit"))
		Label("done")
		VMOVUPS(product, indexed(y, offset))
	}, nothing)
}

// penalize generates gradient += x·(slope2 + slope3·|x|), and the sums of x² and |x|³ in
// each lane.
func penalize(s isa) {
	function("penalize"+s.name, "func(gradient, x *float32, n int, "+
		"slope2, slope3 float32, squares, cubes *float32)")
	slope2, slope3 := s.broadcast("slope2"), s.broadcast("slope3")
	gradient, x, n := argument("gradient"), argument("x"), argument("n")
	zero, squares, cubes := s.vector(), s.vector(), s.vector()
	s.zero(zero)
	s.zero(squares)
	s.zero(cubes)
	along(s, n, func(offset reg.GPVirtual) {
		v, size, square, slope := s.vector(), s.vector(), s.vector(), s.vector()
		VMOVUPS(indexed(x, offset), v)
		VSUBPS(v, zero, size)
		VMAXPS(v, size, size)
		VMULPS(v, v, square)
		VADDPS(square, squares, squares)
		VFMADD231PS(square, size, cubes)
		VMULPS(size, slope3, size)
		VADDPS(size, slope2, size)
		at := indexed(gradient, offset)
		VMOVUPS(at, slope)
		VFMADD231PS(v, size, slope)
		VMOVUPS(slope, at)
	}, func() {
		VMOVUPS(squares, Mem{Base: argument("squares")})
		VMOVUPS(cubes, Mem{Base: argument("cubes")})
	})
}

// prefetch generates requests for the cache lines of n floats.
func prefetch() {
	function("prefetch", "func(x *float32, n int)")
	x, n := argument("x"), argument("n")
	Label("line")
	PREFETCHT0(Mem{Base: x})
	ADDQ(U32(64), x)
	SUBQ(U32(16), n)
	JG(LabelRef("line"))
	RET()
}
