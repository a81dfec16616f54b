package kernel

// Unit is one implementation of products of bfloat16 numbers with sums in float32, and
// of what makes their factors.
type Unit struct {
	// Name is "amx", "avx512-bf16" or "go".
	Name string
	// Pays is whether its products are faster here than those in float32.
	Pays bool
	raw  rawUnit
}

// rawUnit are the kernels on bare pointers, strides in bytes. The wrappers below
// check all bounds before they call them.
type rawUnit struct {
	multiply   func(rows, columns, inner, piece int, a *uint16, aRow int, b *uint16, bColumn int, c *float32, cRow int, add bool)
	interleave func(upper, lower, left, right *uint16)
	transpose  func(from, to *uint16)
	roundRows  func(x *float32, rows, width, stride int, factors *float32, tile *uint16)
	expRound   func(x *float32, rows, columns, stride int, shift, sum, most *float32, tile *uint16, tileRow int)
	rawDoubts
}

// Multiply is C = A·B, or C += A·B when add is set, of the first rows of A and columns of
// B along inner numbers: multiples of TileInner, and of 2·Band for rows and Band for
// columns.
func (u *Unit) Multiply(c Table, a, b Tiles, rows, columns, inner int, add bool) {
	if rows == 0 || columns == 0 {
		return
	}
	steps := inner / TileInner
	check(rows%(2*Band) == 0 && columns%Band == 0 && inner%TileInner == 0 && steps > 0)
	check(a.holds(rows/Band, steps) && b.holds(columns/Band, steps) && len(c.Data) >= (rows-1)*c.Stride+columns)
	pieces := (steps + mostSteps - 1) / mostSteps
	u.raw.multiply(rows/Band, columns/Band, steps, (steps+pieces-1)/pieces, &a.Data[0], a.bytes(), &b.Data[0], b.bytes(), &c.Data[0], c.Stride*floatBytes, add)
}

// mostSteps is how many tiles of the inner dimension are walked at a time: two bands of a
// right factor stay in the first cache then, while all rows pass by.
const mostSteps = 16

// Round makes the bands of rows, each times its factor, for either factor of a product
// along their width, a multiple of Columns. Rows of the last band that there are none of
// are left as they are.
func (u *Unit) Round(to Tiles, x Table, rows, width int, factors []float32) {
	check(rows > 0 && width > 0 && width%Columns == 0 && len(factors) >= rows && len(x.Data) >= (rows-1)*x.Stride+width)
	check(to.holds((rows+Band-1)/Band, (width+TileInner-1)/TileInner))
	for row := 0; row < rows; row += Band {
		u.raw.roundRows(&x.Data[row*x.Stride], min(Band, rows-row), width, x.Stride*floatBytes, &factors[row], &to.From(row/Band, 0).Data[0])
	}
}

// ExpRound makes the bands of exp(x - shift[j]), which is exp(-87) where it is below that,
// adds the sum of column j to sum[j], before it is rounded, and raises most[j] to the largest
// x of column j. columns is a multiple of TileInner, and x - shift not above 80.
func (u *Unit) ExpRound(to Tiles, x Table, rows, columns int, shift, sum, most []float32) {
	checkColumns(x, rows, columns)
	check(columns%TileInner == 0 && len(shift) >= columns && len(sum) >= columns && len(most) >= columns && to.holds((rows+Band-1)/Band, columns/TileInner))
	u.raw.expRound(&x.Data[0], rows, columns, x.Stride*floatBytes, &shift[0], &sum[0], &most[0], &to.Data[0], to.bytes())
}

// Pairs makes of bands of rows, an even number of them, the bands of their columns, for the
// right factor of a product along the rows.
func (u *Unit) Pairs(to, from Tiles, bands, steps int) {
	check(bands%2 == 0 && from.holds(bands, steps) && to.holds(2*steps, bands/2))
	for band := 0; band < bands; band += 2 {
		for step := range steps {
			u.raw.interleave(&from.at(band, step)[0], &from.at(band+1, step)[0], &to.at(2*step, band/2)[0], &to.at(2*step+1, band/2)[0])
		}
	}
}

// Columns makes of bands of rows those of their transpose, for the left factor of a product
// along the rows. room is for two tiles.
func (u *Unit) Columns(to, from Tiles, bands, steps int, room Tiles) {
	check(bands%2 == 0 && from.holds(bands, steps) && to.holds(2*steps, bands/2) && room.holds(1, 2))
	left, right := &room.at(0, 0)[0], &room.at(0, 1)[0]
	for step := range steps {
		for band := 0; band < bands; band += 2 {
			u.raw.interleave(&from.at(band, step)[0], &from.at(band+1, step)[0], left, right)
			u.raw.transpose(left, &to.at(2*step, band/2)[0])
			u.raw.transpose(right, &to.at(2*step+1, band/2)[0])
		}
	}
}

// Right makes of bands for a left factor those for a right one, along the same numbers.
func (u *Unit) Right(to, from Tiles, bands, steps int) {
	check(from.holds(bands, steps) && to.holds(bands, steps))
	for band := range bands {
		for step := range steps {
			u.raw.transpose(&from.at(band, step)[0], &to.at(band, step)[0])
		}
	}
}
