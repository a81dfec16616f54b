package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa describes an instruction set: its name in function names, the floats in a register,
// and the rows of a matrix product that fit in its registers.
type isa struct {
	name  string
	lanes int
	rows  int
}

var (
	avx2   = isa{name: "AVX2", lanes: 8, rows: 6}
	avx512 = isa{name: "AVX512", lanes: 16, rows: 12}
)

func (s isa) bytes() int { return 4 * s.lanes }

// vector allocates a vector register.
func (s isa) vector() reg.VecVirtual {
	if s == avx512 {
		return ZMM()
	}
	return YMM()
}

func (s isa) vectors(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = s.vector()
	}
	return v
}

// zeros allocates vectors of zeros.
func (s isa) zeros(n int) []reg.VecVirtual {
	v := s.vectors(n)
	for i := range v {
		s.zero(v[i])
	}
	return v
}

func (s isa) zero(v reg.VecVirtual) {
	if s == avx512 {
		VPXORD(v, v, v)
	} else {
		VXORPS(v, v, v)
	}
}

// constant loads x into all lanes of a new vector register.
func (s isa) constant(name string, x float32) reg.VecVirtual {
	v := s.vector()
	VBROADCASTSS(constants.of(name, x), v)
	return v
}

// factor returns an operand with x in all lanes, for use in each step. AVX2 reads it from
// memory, because it has only sixteen registers.
func (s isa) factor(name string, x float32) Op {
	if s == avx512 {
		return s.constant(name, x)
	}
	return constants.inLanes(name, s.lanes, x)
}

// constants holds the floats of the data section, so that each is written once.
var constants = pool{}

type pool map[string]Mem

func (p pool) of(name string, x float32) Mem {
	if _, there := p[name]; !there {
		// As bits: avo would write F32(1) as an integer.
		p[name] = ConstData(name, U32(math.Float32bits(x)))
	}
	return p[name]
}

func (p pool) inLanes(name string, lanes int, x float32) Mem {
	name += "Lanes"
	if _, there := p[name]; !there {
		p[name] = GLOBL(name, RODATA|NOPTR)
		for i := range lanes {
			DATA(4*i, U32(math.Float32bits(x)))
		}
	}
	return p[name]
}

// broadcast loads a float argument into all lanes of a new vector register. It reads memory, because
// a move into a register is an SSE instruction, and a second one would wait for the first vector.
func (s isa) broadcast(argument string) reg.VecVirtual {
	from, err := Param(argument).Resolve()
	if err != nil {
		panic(err)
	}
	v := s.vector()
	VBROADCASTSS(from.Addr, v)
	return v
}

// strip returns the addresses of the rows of a strip, which are apart bytes from each other.
// Every third row has a pointer; the two rows after it are addressed with an index.
func (s isa) strip(rows int, first, apart reg.Register) (
	row func(r int) Mem, pointers []reg.GPVirtual) {
	for i := range (rows + 2) / 3 {
		pointers = append(pointers, GP64())
		if i == 0 {
			MOVQ(first, pointers[0])
		} else {
			LEAQ(Mem{Base: pointers[i-1], Index: apart, Scale: 2}, pointers[i])
			ADDQ(apart, pointers[i])
		}
	}
	return func(r int) Mem {
		at := Mem{Base: pointers[r/3]}
		if r%3 > 0 {
			at.Index, at.Scale = apart, uint8(r%3)
		}
		return at
	}, pointers
}

// function begins a function. Strides in its arguments are in bytes.
func function(name, signature string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
}

// finish ends a function that used vector registers.
func finish() {
	VZEROUPPER()
	RET()
}

// argument loads an argument into a new register.
func argument(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// repeat decrements a counter and jumps to a label unless it is 0.
func repeat(counter Op, label string) {
	DECQ(counter)
	JNZ(LabelRef(label))
}

// indexed returns the place at an offset in bytes.
func indexed(base, offset reg.Register) Mem { return Mem{Base: base, Index: offset, Scale: 1} }
