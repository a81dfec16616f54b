package kernel

func scaledDistancesGo(rows, columns, inner int, a *float32, aRow int, b, scale *float32, bRow int,
	c *float32, cRow int) {
	for i := range rows {
		out := at(c, i*cRow, columns)
		clear(out)
		for k, x := range at(a, i*aRow, inner) {
			scales := at(scale, k*bRow, columns)
			for j, y := range at(b, k*bRow, columns) {
				out[j] -= Abs(x*scales[j] - y)
			}
		}
	}
}

func scaledGradientGo(rows, columns, inner int, w *float32, wRow, wStep int, x, xScale *float32,
	xRow int, b, _ *float32, bRow int, y, yScale *float32, yRow int, add bool) {
	for i := range rows {
		row, scales := at(x, i*xRow, columns), at(xScale, i*xRow, columns)
		byRow, byScales := fresh(y, i*yRow, columns, add), fresh(yScale, i*yRow, columns, add)
		for j := range inner {
			weight := at(w, i*wRow+j*wStep, 1)[0]
			for k, other := range at(b, j*bRow, columns) {
				slope := WithSign(weight, other*scales[k]-row[k])
				byRow[k] += slope
				byScales[k] -= slope * other
			}
		}
	}
}

func scaledPointGradientGo(rows, columns, inner int, w *float32, wRow, wStep int, x, _ *float32,
	xRow int, b, bScale *float32, bRow int, y, _ *float32, yRow int, add bool) {
	for i := range rows {
		row, out := at(x, i*xRow, columns), fresh(y, i*yRow, columns, add)
		for j := range inner {
			weight, scales := at(w, i*wRow+j*wStep, 1)[0], at(bScale, j*bRow, columns)
			for k, point := range at(b, j*bRow, columns) {
				out[k] -= WithSign(weight, row[k]*scales[k]-point) * scales[k]
			}
		}
	}
}
