package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A tile of bfloat16 numbers has 16 contiguous rows of 64 bytes.
const (
	tileRows  = 16
	tileWidth = 64
	tileBytes = tileRows * tileWidth
	// tilesAhead is the prefetch distance in tiles, stripsAhead in strips of a tile, which
	// take less time.
	tilesAhead  = 2
	stripsAhead = 8
)

// productArguments are those of products of tiles. rows, columns, inner and piece count tiles.
const productArguments = "func(rows, columns, inner, piece int, a *uint16, aRow int, " +
	"b *uint16, bColumn int, c *float32, cRow int, add bool)"

// multiplyAMX generates the product of tables of tiles on the matrix unit. 32 rows by 32
// columns of C, or 16 columns at the end, stay in four tiles along the inner dimension. rows is
// even.
func multiplyAMX() {
	function("multiplyAMX", productArguments)
	configuration := GLOBL("tileConfiguration", RODATA|NOPTR)
	const palette = 1
	DATA(0, U64(palette))
	DATA(8, U64(0))
	for i := range 4 {
		half := U64(0)
		if i < 2 { // widths of eight tiles, 16 bits each
			half = tileWidth * 0x0001000100010001
		}
		DATA(16+8*i, half)
	}
	DATA(48, U64(tileRows*0x0101010101010101))
	DATA(56, U64(0))
	LEAQ(configuration, reg.RAX)
	loadConfiguration(reg.RAX)

	const a0, a1, b0, b1 = 4, 5, 6, 7
	step, cRow := reg.R8, reg.RCX
	MOVQ(U32(tileWidth), step)
	Load(Param("cRow"), cRow)
	panel, c, columns := reg.R12, reg.R13, reg.R15
	Load(Param("b"), panel)
	Load(Param("c"), c)
	Load(Param("columns"), columns)
	stepsLeft, steps, bands, bandsOfB := AllocLocal(8), AllocLocal(8), AllocLocal(8), AllocLocal(8)

	for _, width := range []int{2, 1} {
		name := func(label string) string { return fmt.Sprintf("%s%d", label, width) }
		Label(name("columns"))
		CMPQ(columns, U32(width))
		JL(LabelRef(name("end")))
		inner, right := reg.RAX, reg.RDI
		Load(Param("inner"), inner)
		MOVQ(inner, stepsLeft)
		MOVQ(panel, bandsOfB)
		Load(Param("a"), inner)
		MOVQ(inner, bands)

		// One piece of the inner dimension at a time, so that the tiles of B stay in the L1 cache.
		Label(name("piece"))
		MOVQ(stepsLeft, inner)
		CMPQ(inner, NewParamAddr("piece", 24))
		JLE(LabelRef(name("last")))
		Load(Param("piece"), inner)
		Label(name("last"))
		MOVQ(inner, steps)
		rows, a, to, lower := reg.RBX, reg.R14, reg.RDX, reg.R10
		Load(Param("rows"), rows)
		MOVQ(bands, a)
		MOVQ(c, to)

		Label(name("rows"))
		MOVQ(cRow, lower)
		SHLQ(U8(4), lower)
		ADDQ(to, lower)
		each := func(f func(tile byte, at place)) {
			for column := range width {
				f(byte(column), place{to, cRow, int32(tileWidth * column)})
				f(byte(2+column), place{lower, cRow, int32(tileWidth * column)})
			}
		}
		Load(Param("add"), reg.AL)
		TESTB(reg.AL, reg.AL)
		JNZ(LabelRef(name("add")))
		Load(Param("inner"), inner)
		CMPQ(inner, stepsLeft)
		JNE(LabelRef(name("add")))
		each(func(tile byte, _ place) { zeroTile(tile) })
		JMP(LabelRef(name("begin")))
		Label(name("add"))
		each(func(tile byte, at place) { loadTile(tile, at) })
		Label(name("begin"))

		left, leftLower, rightNext := reg.RSI, reg.R9, reg.R11
		MOVQ(a, left)
		Load(Param("aRow"), leftLower)
		ADDQ(a, leftLower)
		MOVQ(bandsOfB, right)
		Load(Param("bColumn"), rightNext)
		ADDQ(right, rightNext)
		MOVQ(steps, inner)
		Label(name("step"))
		// A tile that is read for the first time may not be cached. It is too long for the
		// processor to look ahead to the next one.
		ahead := func(tiles ...reg.Register) {
			for _, tile := range tiles {
				for line := range tileRows {
					PREFETCHT0(Mem{Base: tile, Disp: tilesAhead*tileBytes + line*tileWidth})
				}
			}
		}
		CMPQ(columns, NewParamAddr("columns", 8))
		JNE(LabelRef(name("knownRows")))
		ahead(left, leftLower)
		Label(name("knownRows"))
		CMPQ(rows, NewParamAddr("rows", 0))
		JNE(LabelRef(name("knownColumns")))
		if width == 2 {
			ahead(right, rightNext)
		} else {
			ahead(right)
		}
		Label(name("knownColumns"))
		loadTile(b0, place{right, step, 0})
		loadTile(a0, place{left, step, 0})
		multiplyTiles(0, a0, b0)
		loadTile(a1, place{leftLower, step, 0})
		multiplyTiles(2, a1, b0)
		if width == 2 {
			loadTile(b1, place{rightNext, step, 0})
			multiplyTiles(1, a0, b1)
			multiplyTiles(3, a1, b1)
			ADDQ(U32(tileBytes), rightNext)
		}
		for _, p := range []reg.Register{left, leftLower, right} {
			ADDQ(U32(tileBytes), p)
		}
		repeat(inner, name("step"))
		each(func(tile byte, at place) { storeTile(tile, at) })

		Load(Param("aRow"), leftLower)
		LEAQ(Mem{Base: a, Index: leftLower, Scale: 2}, a)
		MOVQ(cRow, lower)
		SHLQ(U8(5), lower)
		ADDQ(lower, to)
		SUBQ(U32(2), rows)
		JG(LabelRef(name("rows")))

		MOVQ(steps, inner)
		SUBQ(inner, stepsLeft)
		SHLQ(U8(10), inner)
		ADDQ(inner, bands)
		ADDQ(inner, bandsOfB)
		CMPQ(stepsLeft, U32(0))
		JG(LabelRef(name("piece")))

		for range width {
			ADDQ(Load(Param("bColumn"), reg.RDX), panel)
		}
		ADDQ(U32(width*tileWidth), c)
		SUBQ(U32(width), columns)
		JMP(LabelRef(name("columns")))
		Label(name("end"))
	}
	releaseTiles()
	RET()
}

// multiplyVDPBF16 generates the same product with AVX512-BF16: eight rows by three registers
// of columns, or fewer at the end. Each pair of A is broadcast once for all columns, because
// the processor loads two registers per cycle and multiplies two.
func multiplyVDPBF16() {
	const strip = 8
	function("multiplyVDPBF16", productArguments)
	cRow := reg.RCX
	Load(Param("cRow"), cRow)
	b, c, columns := reg.R12, reg.R13, reg.R15
	Load(Param("b"), b)
	Load(Param("c"), c)
	Load(Param("columns"), columns)
	registers := make([]reg.Register, 32)
	for i := range registers {
		registers[i] = reg.LookupPhysical(reg.KindVector, reg.Index(i), reg.S512)
	}
	const widest = 3
	sums, pairs := registers[:strip*widest], registers[strip*widest:][:widest]
	ofRow := registers[strip*widest+widest:]
	for _, width := range []int{widest, 2, 1} {
		name := func(label string) string { return fmt.Sprintf("%s%d", label, width) }
		Label(name("columns"))
		CMPQ(columns, U32(width))
		JL(LabelRef(name("end")))
		rows, a, to := reg.RBX, reg.R14, reg.RDX
		Load(Param("rows"), rows)
		Load(Param("a"), a)
		MOVQ(c, to)

		Label(name("rows"))
		half := reg.R10 // byte offset of the upper or lower half of the tiles' rows
		MOVQ(U32(0), half)
		Label(name("half"))
		each := func(f func(sum reg.Register, at Mem)) {
			MOVQ(to, reg.R11)
			for r := range strip {
				for column := range width {
					f(sums[r*width+column], Mem{Base: reg.R11, Disp: column * tileWidth})
				}
				ADDQ(cRow, reg.R11)
			}
		}
		Load(Param("add"), reg.AL)
		TESTB(reg.AL, reg.AL)
		JZ(LabelRef(name("fresh")))
		each(func(sum reg.Register, at Mem) { VMOVUPS(at, sum) })
		JMP(LabelRef(name("begin")))
		Label(name("fresh"))
		each(func(sum reg.Register, _ Mem) { VPXORD(sum, sum, sum) })
		Label(name("begin"))

		left, inner, row := reg.RSI, reg.RAX, reg.R8
		right := []reg.GPPhysical{reg.RDI, reg.R9, reg.R11}[:width]
		LEAQ(indexed(a, half), left)
		MOVQ(b, right[0])
		for column, at := range right[1:] {
			Load(Param("bColumn"), at)
			ADDQ(right[column], at)
		}
		Load(Param("inner"), inner)
		Label(name("step"))
		CMPQ(columns, NewParamAddr("columns", 8))
		JNE(LabelRef(name("knownRows")))
		for r := range strip {
			PREFETCHT0(Mem{Base: left, Disp: stripsAhead*tileBytes + r*tileWidth})
		}
		Label(name("knownRows"))
		MOVQ(U32(tileRows), row)
		Label(name("pair"))
		for column, at := range right {
			VMOVUPS(Mem{Base: at}, pairs[column])
		}
		for r := range strip {
			x := ofRow[r%len(ofRow)]
			VBROADCASTSS(Mem{Base: left, Disp: r * tileWidth}, x)
			for column := range width {
				multiplyPairs(sums[r*width+column], pairs[column], x)
			}
		}
		ADDQ(U32(4), left)
		for _, at := range right {
			ADDQ(U32(tileWidth), at)
		}
		repeat(row, name("pair"))
		ADDQ(U32(tileBytes-tileWidth), left)
		repeat(inner, name("step"))
		each(func(sum reg.Register, at Mem) { VMOVUPS(sum, at) })

		MOVQ(cRow, reg.R11)
		SHLQ(U8(3), reg.R11)
		ADDQ(reg.R11, to)
		ADDQ(U32(strip*tileWidth), half)
		CMPQ(half, U32(tileBytes))
		JL(LabelRef(name("half")))
		ADDQ(Load(Param("aRow"), reg.R11), a)
		repeat(rows, name("rows"))

		for range width {
			ADDQ(Load(Param("bColumn"), reg.RDX), b)
		}
		ADDQ(U32(width*tileWidth), c)
		SUBQ(U32(width), columns)
		JMP(LabelRef(name("columns")))
		Label(name("end"))
	}
	finish()
}

// halves returns the indices that interleave two registers of 32 numbers, for the lower and
// the upper half of both.
func halves() (lower, upper Mem) {
	at := GLOBL("interleaved", RODATA|NOPTR)
	for i := range 64 {
		DATA(2*i, U16(i/2+i%2*32))
	}
	lower, upper = at, at
	return lower, upper.Offset(64)
}

// interleave generates the pairs of two tiles, one above the other: output tile n holds 16
// columns from 16·n, and its rows are pairs of the input rows.
func interleave() {
	function("interleaveAVX512", "func(upper, lower, left, right *uint16)")
	first, second := halves()
	low, high := ZMM(), ZMM()
	VMOVUPS(first, low)
	VMOVUPS(second, high)
	left, right := argument("left"), argument("right")
	for i, table := range []string{"upper", "lower"} {
		from := argument(table)
		for row := 0; row < tileRows; row += 2 {
			x, y, pairs := ZMM(), ZMM(), ZMM()
			VMOVUPS(Mem{Base: from, Disp: row * tileWidth}, x)
			VMOVUPS(Mem{Base: from, Disp: (row + 1) * tileWidth}, y)
			VMOVAPS(x, pairs)
			VPERMT2W(y, low, pairs)
			VPERMT2W(y, high, x)
			at := (i*tileRows + row) / 2 * tileWidth
			VMOVUPS(pairs, Mem{Base: left, Disp: at})
			VMOVUPS(x, Mem{Base: right, Disp: at})
		}
	}
	finish()
}

// transpose generates the transpose of a tile as 16×16 pairs.
func transpose() {
	function("transposeAVX512", "func(from, to *uint16)")
	from, to := argument("from"), argument("to")
	rows := make([]reg.VecVirtual, tileRows)
	for i := range rows {
		rows[i] = ZMM()
		VMOVUPS(Mem{Base: from, Disp: i * tileWidth}, rows[i])
	}
	for i, row := range transposed(rows) {
		VMOVUPS(row, Mem{Base: to, Disp: i * tileWidth})
	}
	finish()
}

// transposeBlock generates the transpose of 16×16 floats, whose rows are any number of bytes apart.
func transposeBlock() {
	function("transposeBlockAVX512", "func(from, to *float32, fromRow, toRow int)")
	from, to := argument("from"), argument("to")
	fromRow, toRow := argument("fromRow"), argument("toRow")
	rows := make([]reg.VecVirtual, tileRows)
	for i := range rows {
		rows[i] = ZMM()
		VMOVUPS(Mem{Base: from}, rows[i])
		ADDQ(fromRow, from)
	}
	for _, row := range transposed(rows) {
		VMOVUPS(row, Mem{Base: to})
		ADDQ(toRow, to)
	}
	finish()
}

// transposed returns the columns of 16 rows with 16 numbers of 32 bits.
func transposed(rows []reg.VecVirtual) []reg.VecVirtual {
	// Within the four lanes: pairs of rows, and then pairs of these.
	pairwise := func(low, high func(a, b, to reg.VecVirtual), distance int) {
		for i := range rows {
			if i&distance == 0 {
				a, b := rows[i], rows[i+distance]
				rows[i], rows[i+distance] = ZMM(), ZMM()
				low(a, b, rows[i])
				high(a, b, rows[i+distance])
			}
		}
	}
	pairwise(
		func(a, b, to reg.VecVirtual) { VPUNPCKLDQ(b, a, to) },
		func(a, b, to reg.VecVirtual) { VPUNPCKHDQ(b, a, to) }, 1)
	pairwise(
		func(a, b, to reg.VecVirtual) { VPUNPCKLQDQ(b, a, to) },
		func(a, b, to reg.VecVirtual) { VPUNPCKHQDQ(b, a, to) }, 2)
	// Between lanes.
	const evenLanes, oddLanes = 0x88, 0xdd
	lanes := func(a, b, to reg.VecVirtual) { VSHUFI32X4(U8(evenLanes), b, a, to) }
	others := func(a, b, to reg.VecVirtual) { VSHUFI32X4(U8(oddLanes), b, a, to) }
	pairwise(lanes, others, 4)
	pairwise(lanes, others, 8)
	// Unpacking has swapped the two lowest bits of the column numbers.
	columns := make([]reg.VecVirtual, len(rows))
	for i := range rows {
		columns[i&1<<1|i>>1&1|i&12] = rows[i]
	}
	return columns
}

// roundRows generates the packing of up to 16 rows of floats, each times a factor, into tiles.
// Two registers make a row of a tile; the missing part of the last is 0.
func roundRows() {
	function("roundRowsAVX512", "func(x *float32, rows, width, stride int, factors *float32, "+
		"tile *uint16)")
	x, rows, factors, tile := reg.RSI, reg.RBX, reg.R8, reg.RDI
	Load(Param("x"), x)
	Load(Param("rows"), rows)
	Load(Param("factors"), factors)
	Load(Param("tile"), tile)
	factor, low, high := reg.Z0, reg.Z1, reg.Z2
	Label("row")
	VBROADCASTSS(Mem{Base: factors}, factor)
	from, to, width := reg.RAX, reg.RDX, reg.RCX
	MOVQ(x, from)
	MOVQ(tile, to)
	Load(Param("width"), width)
	CMPQ(width, U32(32))
	JL(LabelRef("narrow"))
	Label("wide")
	VMULPS(Mem{Base: from}, factor, low)
	VMULPS(Mem{Base: from, Disp: 64}, factor, high)
	roundPair(low, high, low)
	VMOVUPS(low, Mem{Base: to})
	ADDQ(U32(128), from)
	ADDQ(U32(tileBytes), to)
	SUBQ(U32(32), width)
	CMPQ(width, U32(32))
	JGE(LabelRef("wide"))
	Label("narrow")
	TESTQ(width, width)
	JZ(LabelRef("next"))
	VMULPS(Mem{Base: from}, factor, low)
	VPXORD(high, high, high)
	roundPair(low, high, low)
	VMOVUPS(low, Mem{Base: to})
	Label("next")
	ADDQ(Load(Param("stride"), reg.R9), x)
	ADDQ(U32(4), factors)
	ADDQ(U32(tileWidth), tile)
	repeat(rows, "row")
	finish()
}
