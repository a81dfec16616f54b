package main

import (
	"encoding/binary"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Instructions that Go's assembler does not know are written as bytes. The register
// allocator cannot see their operands, so functions that use them name all registers.

// emit writes the bytes of an instruction.
func emit(code ...byte) {
	for _, b := range code {
		build.Instruction(&ir.Instruction{Opcode: "BYTE", Operands: []operand.Op{operand.U8(b)}})
	}
}

// number returns the number of a register in instructions.
func number(r reg.Register) byte { return byte(r.(reg.Physical).PhysicalIndex()) }

// place is a memory operand: base + index + displacement, in bytes.
type place struct {
	base, index  reg.Register // index may be nil
	displacement int32
}

// operands encodes a register and a place in memory: the ModRM byte and what follows.
func (p place) operands(register byte) []byte {
	const (
		displacement32 = 2 << 6
		indexFollows   = 4
		noIndex        = 4 << 3
	)
	code := []byte{displacement32 | register&7<<3 | indexFollows, noIndex | number(p.base)&7}
	if p.index != nil {
		code[1] = number(p.index)&7<<3 | number(p.base)&7
	}
	return binary.LittleEndian.AppendUint32(code, uint32(p.displacement))
}

// high returns the prefix bits for registers 8 to 15, which are stored inverted.
func (p place) high() (base, index byte) {
	base, index = 1, 1
	if number(p.base) >= 8 {
		base = 0
	}
	if p.index != nil && number(p.index) >= 8 {
		index = 0
	}
	return base, index
}

// Prefixes that are part of an opcode.
const (
	noPrefix = 0
	prefix66 = 1
	prefixF3 = 2
	prefixF2 = 3
)

// map38 is the opcode map of all these instructions.
const map38 = 2

// vex encodes an instruction on tiles.
func vex(prefix, opcode, register, second byte, p place) {
	base, index := p.high()
	code := []byte{0xc4, 1<<7 | index<<6 | base<<5 | map38, (^second&15)<<3 | prefix, opcode}
	emit(append(code, p.operands(register)...)...)
}

// vexTiles encodes an instruction on three tiles.
func vexTiles(prefix, opcode, to, left, right byte) {
	emit(0xc4, 0xe0|map38, (^right&15)<<3|prefix, opcode, 3<<6|to<<3|left)
}

// evex encodes an instruction on three registers of 512 bits.
func evex(prefix, opcode byte, to, second, third reg.Register) {
	r, v, m := number(to), number(second), number(third)
	emit(0x62,
		bit(r, 3)<<7|bit(m, 4)<<6|bit(m, 3)<<5|bit(r, 4)<<4|map38,
		(^v&15)<<3|4|prefix,
		2<<5|bit(v, 4)<<3,
		opcode,
		3<<6|r&7<<3|m&7)
}

// bit returns the inverse of bit n.
func bit(x byte, n int) byte { return ^x >> n & 1 }

func loadConfiguration(from reg.Register) { vex(noPrefix, 0x49, 0, 0, place{base: from}) }

func releaseTiles() { emit(0xc4, 0xe2, 0x78, 0x49, 0xc0) }

func zeroTile(tile byte) { emit(0xc4, 0xe2, 0x7b, 0x49, 0xc0|tile<<3) }

// loadTile loads a tile. The index of the place is the distance of its rows.
func loadTile(tile byte, from place) { vex(prefixF2, 0x4b, tile, 0, from) }

func storeTile(tile byte, to place) { vex(prefixF3, 0x4b, tile, 0, to) }

// multiplyTiles computes to += left·right.
func multiplyTiles(to, left, right byte) { vexTiles(prefixF3, 0x5c, to, left, right) }

// roundPair rounds two registers of floats to one of bfloat16 numbers, low below high.
func roundPair(to, high, low reg.Register) { evex(prefixF2, 0x72, to, high, low) }

// multiplyPairs adds the dot products of the pairs of two registers.
func multiplyPairs(to, left, right reg.Register) { evex(prefixF3, 0x52, to, left, right) }
