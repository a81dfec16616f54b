package kernel

import "math/bits"

func countNotAboveGo(x *float32, rows, columns, stride int, limit, whole, lost, byWhole,
	byLost *float32, least float32, notAbove *int32, marks *uint64) {
	limits, wholes, losts, counts := at(limit, 0, columns), at(whole, 0, columns),
		at(lost, 0, columns), at(notAbove, 0, columns)
	for i := range rows {
		ofWhole, ofLost := at(byWhole, i/BoundRows*floatBytes, 1)[0],
			at(byLost, i/BoundRows*floatBytes, 1)[0]
		for j, v := range at(x, i*stride, columns) {
			reach := least + ofWhole*wholes[j] + ofLost*losts[j]
			if over := float64(v) - float64(limits[j]); !(over > float64(reach)) {
				counts[j]++
				if !(over < -float64(reach)) {
					place := NewPosition(i, j)
					at(marks, int(place)/markBits*markBytes, 1)[0] |= 1 << (place % markBits)
				}
			}
		}
	}
}

func positionsGo(marks *uint64, numbers int, places *uint32) int {
	count := 0
	for i, number := range at(marks, 0, numbers) {
		for ; number != 0; number &= number - 1 {
			at(places, count*placeBytes, 1)[0] = uint32(markBits*i + bits.TrailingZeros64(number))
			count++
		}
	}
	return count
}

const placeBytes, markBytes = 4, 8

func recheckGo(places *uint32, n int, a *float32, aRow int, b *float32, bRow, width int, limit,
	whole, byWhole *float32, least float32, notAbove *int32) int {
	kept := 0
	for _, p := range at((*Position)(places), 0, n) {
		right := at(b, p.Column()*bRow, width)
		var sums [Columns]float32
		for i, x := range at(a, p.Row()*aRow, width) {
			sums[i%Columns] += x * right[i]
		}
		ofColumn := p.Column() * floatBytes
		over := total(sums) - at(limit, ofColumn, 1)[0]
		reach := least + at(byWhole, p.Row()*floatBytes, 1)[0]*at(whole, ofColumn, 1)[0]
		switch {
		case over > reach:
			at(notAbove, ofColumn, 1)[0]--
		case !(-over > reach):
			at((*Position)(places), kept*placeBytes, 1)[0] = p
			kept++
		}
	}
	return kept
}

func squaredNormsGo(x *float32, rows, width, stride int, to *float32) {
	for i := range rows {
		var whole, near, lost [Columns]float32
		for j, v := range at(x, i*stride, width) {
			r := widened(rounded(v))
			whole[j%Columns] += v * v
			near[j%Columns] += r * r
			lost[j%Columns] += (v - r) * (v - r)
		}
		copy(at(to, 3*i*floatBytes, 3), []float32{total(whole), total(near), total(lost)})
	}
}

// total sums pairwise, so that no term goes through many roundings.
func total(x [Columns]float32) float32 {
	for n := Columns / 2; n > 0; n /= 2 {
		for i := range n {
			x[i] += x[n+i]
		}
	}
	return x[0]
}
