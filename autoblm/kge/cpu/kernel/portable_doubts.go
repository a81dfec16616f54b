package kernel

func siftGo(x *float32, rows, columns, stride int, limit, whole, lost, byWhole, byLost *float32, least float32, above *int32, marks *uint16) {
	limits, wholes, losts, greater := at(limit, 0, columns), at(whole, 0, columns), at(lost, 0, columns), at(above, 0, columns)
	for i := range rows {
		ofWhole, ofLost := at(byWhole, i*floatBytes, 1)[0], at(byLost, i*floatBytes, 1)[0]
		marked := at(marks, i*numberBytes*len(Marks{}), len(Marks{}))
		for j, v := range at(x, i*stride, columns) {
			if j%Columns == 0 {
				marked[j/Columns] = 0
			}
			reach := least + ofWhole*wholes[j] + ofLost*losts[j]
			over := v - limits[j]
			if over > reach {
				greater[j]++
			}
			if !(over > reach || -over > reach) {
				marked[j/Columns] |= 1 << (j % Columns)
			}
		}
	}
}

func dotsGo(to *float32, pairs *int32, n int, a *float32, aRow int, b *float32, bRow, width int) {
	rows := at(pairs, 0, 2*n)
	for i := range n {
		left, right := at(a, int(rows[2*i])*aRow, width), at(b, int(rows[2*i+1])*bRow, width)
		var sums [Columns]float32
		for j, x := range left {
			sums[j%Columns] += x * right[j]
		}
		at(to, i*floatBytes, 1)[0] = total(sums)
	}
}

func squaresGo(x *float32, rows, width, stride int, to *float32) {
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

// total adds up halves, so that no term goes through many roundings.
func total(x [Columns]float32) float32 {
	for n := Columns / 2; n > 0; n /= 2 {
		for i := range n {
			x[i] += x[n+i]
		}
	}
	return x[0]
}
