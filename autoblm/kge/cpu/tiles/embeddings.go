package tiles

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/internal/mapped"
	"github.com/autoblm/autoblm-go/internal/memory"
)

// Embeddings holds the rows of all entities or of all relations, with rows and columns
// zero-padded for the kernels.
type Embeddings struct {
	kernel.Table
	Count int // rows without padding
	// Rounded is nil if products are in float32.
	Rounded *Rounded
	// Folder has the file of the rows, if they are in one.
	Folder mapped.Folder
}

// NewTable allocates a zero table with at least the given rows and columns.
func NewTable(rows, columns int) kernel.Table {
	stride := kernel.Pad(columns, kernel.Columns)
	return kernel.Table{Data: newFloats(kernel.Pad(rows, kernel.Rows) * stride), Stride: stride}
}

// newFloats allocates zeros, in large pages if they are many: looking up the address of a page takes
// longer than reading a row of it.
func newFloats(n int) []float32 {
	floats := make([]float32, n)
	memory.UseLargePages(floats)
	return floats
}

// NewEmbeddingsIn allocates zero embeddings, in a file of the folder if it has a path.
func NewEmbeddingsIn(folder mapped.Folder, count, columns int) (e Embeddings, err error) {
	e = Embeddings{Count: count, Folder: folder}
	if folder.Path == "" {
		e.Table = NewTable(count, columns)
		return e, nil
	}
	e.Stride = kernel.Pad(columns, kernel.Columns)
	e.Data, err = folder.New(kernel.Pad(count, kernel.Rows) * e.Stride)
	return e, err
}

// NewEmbeddings copies dense rows with the given number of columns.
func NewEmbeddings(dense []float32, columns int) Embeddings {
	e := Embeddings{Count: len(dense) / columns}
	e.Table = NewTable(e.Count, columns)
	e.Fill(dense, columns)
	return e
}

// Fill overwrites the embeddings with dense rows.
func (e Embeddings) Fill(dense []float32, columns int) {
	for i := range e.Count {
		copy(e.Row(i), dense[i*columns:][:columns])
	}
	e.RoundAll()
}

// Dense copies the rows without padding.
func (e Embeddings) Dense(columns int) []float32 {
	dense := make([]float32, 0, e.Count*columns)
	for i := range e.Count {
		dense = append(dense, e.Row(i)[:columns]...)
	}
	return dense
}

// View returns the rows without padding. It copies them only if they have padding.
func (e Embeddings) View(columns int) []float32 {
	if columns != e.Stride {
		return e.Dense(columns)
	}
	n := e.Count * columns
	return e.Data[:n:n]
}

// MaxQueries returns the maximum number of queries of a unit.
func (e Embeddings) MaxQueries() int {
	if e.Rounded != nil {
		return MaxRoundedQueries
	}
	return MaxQueries
}

// Rows is the number of rows of a tile. Its scores for MaxQueries queries take 72 kB, which
// fits in the L2 cache.
const Rows = 16 * kernel.Rows

// ZerosLike allocates zero embeddings of the same size.
func (e Embeddings) ZerosLike() Embeddings {
	zeros := kernel.Table{Data: make([]float32, len(e.Data)), Stride: e.Stride}
	return Embeddings{Table: zeros, Count: e.Count}
}

// Tiles returns the number of tiles.
func (e Embeddings) Tiles() int { return (e.Count + Rows - 1) / Rows }

// Tile returns the first row of tile i and its number of rows without and with padding.
func (e Embeddings) Tile(i int) (start, count, rows int) {
	start = i * Rows
	count = min(Rows, e.Count-start)
	return start, count, kernel.Pad(count, kernel.Rows)
}

// PaddedRow returns a row with its padding.
func PaddedRow(t kernel.Table, i int) []float32 { return t.Row(i)[:t.Stride] }

// Dot returns the scalar product of two padded rows.
func Dot(a, b []float32) float64 {
	var s0, s1, s2, s3 float32
	for i := 0; i < len(a); i += 4 { // rows are padded to a multiple of 16
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	return float64(s0) + float64(s1) + float64(s2) + float64(s3)
}
