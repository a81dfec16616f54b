package kernel

// BF16Set is one implementation of products of bfloat16 numbers with sums in float32, and
// of the kernels that pack their factors.
type BF16Set struct {
	// Name is "amx", "avx512-bf16" or "go".
	Name string
	// Faster reports whether its products are faster on this machine than float32 products.
	Faster bool
	raw    rawBF16
}

// rawBF16 holds kernels on bare pointers, with strides in bytes. The methods of BF16Set
// check all bounds before they call them.
type rawBF16 struct {
	multiply func(rows, columns, inner, piece int, a *uint16, aRow int,
		b *uint16, bColumn int, c *float32, cRow int, add bool)
	interleave func(upper, lower, left, right *uint16)
	transpose  func(from, to *uint16)
	roundRows  func(x *float32, rows, width, stride int, factors *float32, tile *uint16)
	expRound   func(x *float32, rows, columns, stride int, shift, sum, most *float32,
		tile *uint16, tileRow int)
	rawRecheck
}

// Multiply computes C = A·B, or C += A·B if add is set, for the first rows of A and columns
// of B. inner is a multiple of TileInner, rows of 2·Band and columns of Band.
func (u *BF16Set) Multiply(c Table, a, b Tiles, rows, columns, inner int, add bool) {
	if rows == 0 || columns == 0 {
		return
	}
	steps := inner / TileInner
	check(rows%(2*Band) == 0 && columns%Band == 0 && inner%TileInner == 0 && steps > 0)
	check(a.holds(rows/Band, steps) && b.holds(columns/Band, steps) && c.has(rows, columns))
	pieces := (steps + maxSteps - 1) / maxSteps
	u.raw.multiply(rows/Band, columns/Band, steps, (steps+pieces-1)/pieces,
		&a.Data[0], a.bytes(), &b.Data[0], b.bytes(), &c.Data[0], c.Stride*floatBytes, add)
}

// maxSteps limits the tiles of the inner dimension that are processed in one piece. Two
// bands of a right factor then stay in the L1 cache for all rows.
const maxSteps = 16

// Round packs rows, each times its factor, into bands for either factor of a product along
// their width, a multiple of Columns. It does not write the missing rows of the last band.
func (u *BF16Set) Round(to Tiles, x Table, rows, width int, factors []float32) {
	check(rows > 0 && width > 0 && width%Columns == 0)
	check(len(factors) >= rows && x.has(rows, width))
	check(to.holds((rows+Band-1)/Band, (width+TileInner-1)/TileInner))
	for row := 0; row < rows; row += Band {
		u.raw.roundRows(&x.Data[row*x.Stride], min(Band, rows-row), width, x.Stride*floatBytes,
			&factors[row], &to.From(row/Band, 0).Data[0])
	}
}

// ExpRound packs exp(max(x - shift[j], -87)) into bands. It adds the unrounded sum of column
// j to sum[j] and raises most[j] to the maximum of x in column j. columns is a multiple of
// TileInner, and x - shift[j] is at most 80.
func (u *BF16Set) ExpRound(to Tiles, x Table, rows, columns int, shift, sum, most []float32) {
	checkColumns(x, rows, columns)
	check(columns%TileInner == 0 && to.holds((rows+Band-1)/Band, columns/TileInner))
	check(len(shift) >= columns && len(sum) >= columns && len(most) >= columns)
	u.raw.expRound(&x.Data[0], rows, columns, x.Stride*floatBytes,
		&shift[0], &sum[0], &most[0], &to.Data[0], to.bytes())
}

// Pairs converts an even number of bands of rows to bands of their columns, for the right
// factor of a product along the rows.
func (u *BF16Set) Pairs(to, from Tiles, bands, steps int) {
	check(bands%2 == 0 && from.holds(bands, steps) && to.holds(2*steps, bands/2))
	for band := 0; band < bands; band += 2 {
		for step := range steps {
			u.raw.interleave(&from.at(band, step)[0], &from.at(band+1, step)[0],
				&to.at(2*step, band/2)[0], &to.at(2*step+1, band/2)[0])
		}
	}
}

// Columns converts bands of rows to bands of their transpose, for the left factor of a
// product along the rows. scratch holds two tiles.
func (u *BF16Set) Columns(to, from Tiles, bands, steps int, scratch Tiles) {
	check(bands%2 == 0 && from.holds(bands, steps) && to.holds(2*steps, bands/2))
	check(scratch.holds(1, 2))
	left, right := &scratch.at(0, 0)[0], &scratch.at(0, 1)[0]
	for step := range steps {
		for band := 0; band < bands; band += 2 {
			u.raw.interleave(&from.at(band, step)[0], &from.at(band+1, step)[0], left, right)
			u.raw.transpose(left, &to.at(2*step, band/2)[0])
			u.raw.transpose(right, &to.at(2*step+1, band/2)[0])
		}
	}
}

// Right converts bands for a left factor to bands for a right factor along the same
// dimension.
func (u *BF16Set) Right(to, from Tiles, bands, steps int) {
	check(from.holds(bands, steps) && to.holds(bands, steps))
	for band := range bands {
		for step := range steps {
			u.raw.transpose(&from.at(band, step)[0], &to.at(band, step)[0])
		}
	}
}
