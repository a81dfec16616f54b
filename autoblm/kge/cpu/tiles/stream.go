package tiles

import (
	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/mapped"
)

// partRows is the number of rows that are copied together. What is in a file gives its memory back
// after each part, so that a copy of a table needs little memory.
const partRows = 1 << 10

// Stream returns the numbers of the embeddings without padding, to read and write in parts.
func (e Embeddings) Stream(columns int) checkpoint.Table {
	return checkpoint.Table{
		Count: e.Count * columns,
		Parts: func(yield func([]float32) bool) {
			var part []float32
			for from := 0; from < e.Count; from += partRows {
				to := min(from+partRows, e.Count)
				part = part[:0]
				for row := from; row < to; row++ {
					part = append(part, e.Row(row)[:columns]...)
				}
				e.Release(from, to)
				if !yield(part) {
					return
				}
			}
		},
		Set: func(from int, numbers []float32) {
			first := from / columns
			for row, column := first, from%columns; len(numbers) > 0; row, column = row+1, 0 {
				n := copy(e.Row(row)[column:columns], numbers)
				numbers = numbers[n:]
				from += n
			}
			e.Release(first, from/columns)
		},
	}
}

// Release gives back the memory of the rows from one to another, if they are in a file.
func (e Embeddings) Release(from, to int) {
	mapped.Release(e.Data[from*e.Stride : to*e.Stride])
}

// Load starts to read the rows from one to another, if they are in a file.
func (e Embeddings) Load(from, to int) { mapped.Load(e.Data[from*e.Stride : to*e.Stride]) }

// Compact removes the padding of the rows and returns their numbers, in the same memory. The
// embeddings can no longer be used.
func (e Embeddings) Compact(columns int) []float32 {
	if columns != e.Stride {
		for row := range e.Count {
			copy(e.Data[row*columns:], e.Row(row)[:columns])
			if row%partRows == partRows-1 {
				mapped.Release(e.Data[(row-partRows+1)*columns : row*columns])
				e.Release(row-partRows+1, row)
			}
		}
	}
	n := e.Count * columns
	return e.Data[:n:n]
}
