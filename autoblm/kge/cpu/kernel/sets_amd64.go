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
			scaleColumns: scaleColumnsAVX512,
			distances:    blockedDistances(avx512Product, distancesAVX512), boxDistances: blockedDistances(avx512Product, boxDistancesAVX512),
			pull: blockedPull(12, 16, pullAVX512), pullBoxes: blockedPull(4, 16, pullBoxesAVX512), pullTowardsBoxes: blockedPull(6, 16, pullTowardsBoxesAVX512),
		}})
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		sets = append(sets, &Set{Name: "avx2", raw: raw{
			product:   blocked(avx2Product),
			columnMax: columnMaxAVX2, expSum: expSumAVX2, count: countAVX2,
			mulAdd: mulAddAVX2, scale: scaleAVX2, scaleAdd: scaleAddAVX2, adagrad: adagradAVX2, penalize: penalizeAVX2,
			scaleColumns: scaleColumnsAVX2,
			distances:    blockedDistances(avx2Product, distancesAVX2), boxDistances: blockedDistances(avx2Product, boxDistancesAVX2),
			pull: blockedPull(4, 8, pullAVX2), pullBoxes: blockedPull(2, 8, pullBoxesAVX2), pullTowardsBoxes: blockedPull(3, 8, pullTowardsBoxesAVX2),
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

// blockedDistances walks the columns and the strips of rows of a table of distances.
func blockedDistances(p panels, kernel func(inner int, a *float32, aRow int, b, half *float32, bRow int, c *float32, cRow int)) func(rows, columns, inner int, a *float32, aRow int, b, half *float32, bRow int, c *float32, cRow int) {
	return func(rows, columns, inner int, a *float32, aRow int, b, half *float32, bRow int, c *float32, cRow int) {
		for row := 0; row < rows; row += p.strip {
			for column := 0; column < columns*floatBytes; column += p.lanes * floatBytes {
				kernel(inner, after(a, row*aRow), aRow, after(b, column), after(half, column), bRow, after(c, row*cRow+column), cRow)
			}
		}
	}
}

// blockedPull walks the columns and the strips of rows that are pulled.
func blockedPull(strip, lanes int, kernel func(inner int, w *float32, wRow, wStep int, x, xHalf *float32, xRow int, b, bHalf *float32, bRow int, y, yHalf *float32, yRow int, add bool)) pull {
	return func(rows, columns, inner int, w *float32, wRow, wStep int, x, xHalf *float32, xRow int, b, bHalf *float32, bRow int, y, yHalf *float32, yRow int, add bool) {
		for column := 0; column < columns*floatBytes; column += lanes * floatBytes {
			for row := 0; row < rows; row += strip {
				ofX, ofY := row*xRow+column, row*yRow+column
				kernel(inner, after(w, row*wRow), wRow, wStep, after(x, ofX), after(xHalf, ofX), xRow, after(b, column), after(bHalf, column), bRow,
					after(y, ofY), after(yHalf, ofY), yRow, add)
			}
		}
	}
}

// after is the float a number of bytes after one; nil stays nil.
func after(first *float32, bytes int) *float32 {
	if first == nil {
		return nil
	}
	return &at(first, bytes, 1)[0]
}
