package kernel

import (
	"math/rand/v2"
	"testing"
)

// TestTranspose: tables of any size are transposed, and what is next to them stays.
func TestTranspose(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, s := range Sets() {
		for range 200 {
			rows, columns := random.IntN(70), random.IntN(70)
			from := Table{make([]float32, 70*80), columns + random.IntN(10)}
			to := Table{make([]float32, 70*80), rows + random.IntN(10)}
			for i := range from.Data {
				from.Data[i], to.Data[i] = random.Float32(), -1
			}
			s.Transpose(to, from, rows, columns)
			for i := range to.Data {
				column, row := 0, 0
				if to.Stride > 0 {
					column, row = i/to.Stride, i%to.Stride
				}
				want := float32(-1)
				if column < columns && row < rows {
					want = from.Row(row)[column]
				}
				if to.Data[i] != want {
					t.Fatalf("%s, %d×%d: number %d is %v, want %v", s.Name, rows, columns, i, to.Data[i], want)
				}
			}
		}
	}
}
