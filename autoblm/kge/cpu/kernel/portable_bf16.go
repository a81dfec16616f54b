package kernel

import "math"

// PortableBF16 returns the bfloat16 kernels in Go, which define each kernel.
func PortableBF16() *BF16Set {
	return &BF16Set{Name: "go", raw: rawBF16{
		multiply:   multiplyGo,
		interleave: interleaveGo,
		transpose:  transposeGo,
		roundRows:  roundRowsGo,
		expRound:   expRoundGo,
		rawRecheck: rawRecheck{
			countNotAbove: countNotAboveGo,
			positions:     positionsGo,
			recheck:       recheckGo,
			squaredNorms:  squaredNormsGo,
		},
	}}
}

const numberBytes = 2

func multiplyGo(rows, columns, inner, _ int, a *uint16, aRow int, b *uint16, bColumn int,
	c *float32, cRow int, add bool) {
	for row := range rows * Band {
		for column := range columns {
			out := at(c, row*cRow+column*Band*floatBytes, Band)
			if !add {
				clear(out)
			}
			for step := range inner {
				left := at(a, row/Band*aRow+(step*tileSize+row%Band*TileInner)*numberBytes, TileInner)
				right := at(b, column*bColumn+step*tileSize*numberBytes, tileSize)
				for k, x := range left {
					for j := range out {
						out[j] += flushed(widened(x)) * flushed(widened(right[k/2*TileInner+2*j+k%2]))
					}
				}
			}
		}
	}
}

// flushed returns 0 for subnormal x, as the processor does, else x.
func flushed(x float32) float32 {
	const leastNormal = 0x1p-126
	if x < leastNormal && x > -leastNormal {
		return 0
	}
	return x
}

func interleaveGo(upper, lower, left, right *uint16) {
	for i, from := range []*uint16{upper, lower} {
		x := at(from, 0, tileSize)
		for j, to := range []*uint16{left, right} {
			pairs := at(to, 0, tileSize)
			for row := range Band {
				for column := range Band {
					pairs[(i*Band+row)/2*TileInner+2*column+row%2] = x[row*TileInner+j*Band+column]
				}
			}
		}
	}
}

func transposeGo(from, to *uint16) {
	x, y := at(from, 0, tileSize), at(to, 0, tileSize)
	for row := range Band {
		for column := range Band {
			copy(y[column*TileInner+2*row:][:2], x[row*TileInner+2*column:])
		}
	}
}

func roundRowsGo(x *float32, rows, width, stride int, factors *float32, tile *uint16) {
	for row, factor := range at(factors, 0, rows) {
		for column, v := range at(x, row*stride, width) {
			at(tile, (column/TileInner*tileSize+row*TileInner+column%TileInner)*numberBytes, 1)[0] = rounded(
				v * factor)
		}
		if column := width; column%TileInner > 0 {
			clear(at(tile, (column/TileInner*tileSize+row*TileInner+column%TileInner)*numberBytes,
				TileInner-column%TileInner))
		}
	}
}

func expRoundGo(x *float32, rows, columns, stride int, shift, sum, most *float32, tile *uint16,
	tileRow int) {
	const least = -87
	shifts, sums, largest := at(shift, 0, columns), at(sum, 0, columns), at(most, 0, columns)
	for row := range rows {
		for j, v := range at(x, row*stride, columns) {
			if v > largest[j] {
				largest[j] = v
			}
			y := float32(math.Exp(float64(max(v-shifts[j], least))))
			sums[j] += y
			at(tile, row/Band*tileRow+(j/TileInner*tileSize+row%Band*TileInner+j%TileInner)*numberBytes,
				1)[0] = rounded(y)
		}
	}
}
