package kernel

// Transpose writes the transpose of a table [rows, columns]. The tables have different memory.
func (s *Set) Transpose(to, from Table, rows, columns int) {
	if rows == 0 || columns == 0 {
		return
	}
	check(from.has(rows, columns) && to.has(columns, rows))
	const block = Columns // numbers in a cache line
	for top := 0; top < rows; top += block {
		for left := 0; left < columns; left += block {
			height, width := min(block, rows-top), min(block, columns-left)
			if s.raw.transpose != nil && height == block && width == block {
				s.raw.transpose(&from.Data[top*from.Stride+left], &to.Data[left*to.Stride+top],
					from.Stride*floatBytes, to.Stride*floatBytes)
				continue
			}
			for row := top; row < top+height; row++ {
				for column, x := range from.Row(row)[left:][:width] {
					to.Data[(left+column)*to.Stride+row] = x
				}
			}
		}
	}
}
