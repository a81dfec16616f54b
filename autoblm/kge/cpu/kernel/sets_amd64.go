package kernel

import "golang.org/x/sys/cpu"

// Sets returns the implementations that this machine can run, the fastest first.
func Sets() []*Set {
	var sets []*Set
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasBMI2 {
		sets = append(sets, &Set{Name: "avx512", raw: raw{
			product:        blockedProduct(avx512Product),
			columnMax:      columnMaxAVX512,
			expSum:         expSumAVX512,
			count:          countAVX512,
			mulAdd:         mulAddAVX512,
			scale:          scaleAVX512,
			scaleAdd:       scaleAddAVX512,
			dot:            dotAVX512,
			adagrad:        adagradAVX512,
			adam:           adamAVX512,
			penalize:       penalizeAVX512,
			penalizeGroups: penalizeGroupsAVX512,
			power:          powerAVX512,
			prefetch:       prefetch,
			transpose:      transposeBlockAVX512,
			scaleColumns:   scaleColumnsAVX512,
			distances:      blockedDistances(avx512Product, distancesAVX512),
			boxDistances:   blockedDistances(avx512Product, boxDistancesAVX512),
			moduli:         blockedModuli(6, 16, moduliAVX512),

			scaledDistances:     blockedDistances(avx512Product, scaledDistancesAVX512),
			scaledGradient:      blockedGradient(6, 16, scaledGradientAVX512),
			scaledPointGradient: blockedGradient(12, 16, scaledPointGradientAVX512),

			distanceGradient: blockedGradient(12, 16, distanceGradientAVX512),
			boxGradient:      blockedGradient(4, 16, boxGradientAVX512),
			boxPointGradient: blockedGradient(6, 16, boxPointGradientAVX512),
			modulusGradient:  blockedModulusGradient(4, 16, modulusGradientAVX512),
		}})
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		sets = append(sets, &Set{Name: "avx2", raw: raw{
			product:        blockedProduct(avx2Product),
			columnMax:      columnMaxAVX2,
			expSum:         expSumAVX2,
			count:          countAVX2,
			mulAdd:         mulAddAVX2,
			scale:          scaleAVX2,
			scaleAdd:       scaleAddAVX2,
			dot:            dotAVX2,
			adagrad:        adagradAVX2,
			adam:           adamAVX2,
			penalize:       penalizeAVX2,
			penalizeGroups: penalizeGroupsAVX2,
			power:          powerAVX2,
			prefetch:       prefetch,
			scaleColumns:   scaleColumnsAVX2,
			distances:      blockedDistances(avx2Product, distancesAVX2),
			boxDistances:   blockedDistances(avx2Product, boxDistancesAVX2),
			moduli:         blockedModuli(3, 8, moduliAVX2),

			scaledDistances:     blockedDistances(avx2Product, scaledDistancesAVX2),
			scaledGradient:      blockedGradient(2, 8, scaledGradientAVX2),
			scaledPointGradient: blockedGradient(4, 8, scaledPointGradientAVX2),

			distanceGradient: blockedGradient(4, 8, distanceGradientAVX2),
			boxGradient:      blockedGradient(2, 8, boxGradientAVX2),
			boxPointGradient: blockedGradient(3, 8, boxPointGradientAVX2),
			modulusGradient:  blockedModulusGradient(2, 8, modulusGradientAVX2),
		}})
	}
	return append(sets, Portable())
}

// panel is a kernel that multiplies strips of rows into the columns of a few registers.
type panel func(strips, inner int, a *float32, aRow, aStep int, b *float32, bRow int,
	c *float32, cRow int, add bool)

// panels holds the product kernels of one instruction set, for two registers of columns and
// for one, with the rows of a strip and the floats of a register.
type panels struct {
	wide, narrow panel
	strip, lanes int
}

var (
	avx512Product = panels{wide: productAVX512x2, narrow: productAVX512x1, strip: 12, lanes: 16}
	avx2Product   = panels{wide: productAVX2x2, narrow: productAVX2x1, strip: 6, lanes: 8}
)

// blockedProduct loops over the columns of a product. The columns of B that a panel needs
// then stay in the L1 cache for all rows of A.
func blockedProduct(p panels) productFunc {
	return func(rows, columns, inner int, a *float32, aRow, aStep int,
		b *float32, bRow int, c *float32, cRow int, add bool) {
		for column := 0; column < columns; {
			kernel, width := p.wide, 2*p.lanes
			if columns-column < width {
				kernel, width = p.narrow, p.lanes
			}
			offset := column * floatBytes
			kernel(rows/p.strip, inner, a, aRow, aStep, after(b, offset), bRow,
				after(c, offset), cRow, add)
			column += width
		}
	}
}

// distanceStrip is a kernel for one strip of rows and one register of columns.
type distanceStrip func(inner int, a *float32, aRow int, b, half *float32, bRow int,
	c *float32, cRow int)

// blockedDistances loops over the columns and the strips of rows of a table of distances.
func blockedDistances(p panels, kernel distanceStrip) distanceFunc {
	return func(rows, columns, inner int, a *float32, aRow int, b, half *float32, bRow int,
		c *float32, cRow int) {
		for row := 0; row < rows; row += p.strip {
			for offset := 0; offset < columns*floatBytes; offset += p.lanes * floatBytes {
				kernel(inner, after(a, row*aRow), aRow, after(b, offset), after(half, offset), bRow,
					after(c, row*cRow+offset), cRow)
			}
		}
	}
}

// gradientStrip is a kernel for one strip of rows and one register of coordinates.
type gradientStrip func(inner int, w *float32, wRow, wStep int, x, xHalf *float32, xRow int,
	b, bHalf *float32, bRow int, y, yHalf *float32, yRow int, add bool)

// blockedGradient loops over the columns and the strips of rows of a gradient.
func blockedGradient(strip, lanes int, kernel gradientStrip) gradientFunc {
	return func(rows, columns, inner int, w *float32, wRow, wStep int,
		x, xHalf *float32, xRow int, b, bHalf *float32, bRow int,
		y, yHalf *float32, yRow int, add bool) {
		for offset := 0; offset < columns*floatBytes; offset += lanes * floatBytes {
			for row := 0; row < rows; row += strip {
				ofX, ofY := row*xRow+offset, row*yRow+offset
				kernel(inner, after(w, row*wRow), wRow, wStep,
					after(x, ofX), after(xHalf, ofX), xRow,
					after(b, offset), after(bHalf, offset), bRow,
					after(y, ofY), after(yHalf, ofY), yRow, add)
			}
		}
	}
}

// moduliStrip is a kernel for one strip of rows and one register of columns.
type moduliStrip func(inner int, a, aIm *float32, aRow int, b, bIm *float32, bRow int, c *float32,
	cRow int)

// blockedModuli loops over the columns and the strips of rows of a table of sums of moduli.
func blockedModuli(strip, lanes int, kernel moduliStrip) moduliFunc {
	return func(rows, columns, inner int, a, aIm *float32, aRow int, b, bIm *float32, bRow int,
		c *float32, cRow int) {
		for row := 0; row < rows; row += strip {
			for offset := 0; offset < columns*floatBytes; offset += lanes * floatBytes {
				kernel(inner, after(a, row*aRow), after(aIm, row*aRow), aRow, after(b, offset),
					after(bIm, offset), bRow, after(c, row*cRow+offset), cRow)
			}
		}
	}
}

// modulusGradientStrip is a kernel for one strip of rows and the first lanes of a register of
// coordinates.
type modulusGradientStrip func(lanes, inner int, w *float32, wRow, wStep int, x, xIm *float32,
	xRow int, b, bIm *float32, bRow int, y, yIm *float32, yRow int, add bool)

// blockedModulusGradient loops over the columns and the strips of rows of a gradient.
func blockedModulusGradient(strip, lanes int, kernel modulusGradientStrip) modulusGradientFunc {
	return func(rows, columns, inner int, w *float32, wRow, wStep int, x, xIm *float32, xRow int,
		b, bIm *float32, bRow int, y, yIm *float32, yRow int, add bool) {
		for column := 0; column < columns; column += lanes {
			offset := column * floatBytes
			for row := 0; row < rows; row += strip {
				ofX, ofY := row*xRow+offset, row*yRow+offset
				kernel(min(lanes, columns-column), inner, after(w, row*wRow), wRow, wStep,
					after(x, ofX), after(xIm, ofX), xRow, after(b, offset), after(bIm, offset), bRow,
					after(y, ofY), after(yIm, ofY), yRow, add)
			}
		}
	}
}

// after advances a pointer by a number of bytes; nil stays nil.
func after(first *float32, bytes int) *float32 {
	if first == nil {
		return nil
	}
	return &at(first, bytes, 1)[0]
}
