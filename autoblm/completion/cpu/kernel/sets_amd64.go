package kernel

import "golang.org/x/sys/cpu"

// Sets are the implementations that this machine can run, the fastest first.
func Sets() []*Set {
	var sets []*Set
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasBMI2 {
		sets = append(sets, &Set{Name: "avx512", raw: raw{
			product:   blocked(avx512Product),
			columnMax: columnMaxAVX512, expSum: expSumAVX512, count: countAVX512,
			mulAdd: mulAddAVX512, scale: scaleAVX512, scaleAdd: scaleAddAVX512, adagrad: adagradAVX512, penalize: penalizeAVX512,
		}})
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		sets = append(sets, &Set{Name: "avx2", raw: raw{
			product:   blocked(avx2Product),
			columnMax: columnMaxAVX2, expSum: expSumAVX2, count: countAVX2,
			mulAdd: mulAddAVX2, scale: scaleAVX2, scaleAdd: scaleAddAVX2, adagrad: adagradAVX2, penalize: penalizeAVX2,
		}})
	}
	return append(sets, Portable())
}

// panel is a kernel that multiplies strips of rows into a few columns.
type panel func(strips, inner int, a *float32, aRow, aStep int, b *float32, bRow int, c *float32, cRow int, add bool)

// panels are the kernels of one instruction set: for two registers of columns
// and for one, with the rows of a strip and the floats of a register.
type panels struct {
	wide, narrow panel
	strip, lanes int
}

var (
	avx512Product = panels{wide: productAVX512x2, narrow: productAVX512x1, strip: 12, lanes: 16}
	avx2Product   = panels{wide: productAVX2x2, narrow: productAVX2x1, strip: 6, lanes: 8}
)

// blocked walks the columns of a product, so that the columns of B that a
// panel needs stay in the first cache while the rows of A pass by.
func blocked(p panels) func(rows, columns, inner int, a *float32, aRow, aStep int, b *float32, bRow int, c *float32, cRow int, add bool) {
	return func(rows, columns, inner int, a *float32, aRow, aStep int, b *float32, bRow int, c *float32, cRow int, add bool) {
		for column := 0; column < columns; {
			kernel, width := p.wide, 2*p.lanes
			if columns-column < width {
				kernel, width = p.narrow, p.lanes
			}
			kernel(rows/p.strip, inner, a, aRow, aStep, &at(b, column*floatBytes, 1)[0], bRow, &at(c, column*floatBytes, 1)[0], cRow, add)
			column += width
		}
	}
}
