package tiles

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// TestTouchedRows checks that touched rows change to the bit as by steps over the whole table, and
// that others stay.
func TestTouchedRows(t *testing.T) {
	const rows, columns, most = 1000, 16, 300
	k := kernel.Sets()[0]
	rng := rand.New(rand.NewPCG(1, 2))
	random := func() []float32 {
		x := make([]float32, columns)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		return x
	}
	touchedTable, wholeTable := NewTable(rows, columns), NewTable(rows, columns)
	touching, _ := NewUpdater(k, Embeddings{Table: touchedTable}, 1)
	whole, _ := NewUpdater(k, Embeddings{Table: wholeTable}, 1)
	touched := NewTouchedRows(most)
	for step := range 3 {
		touched.Reset()
		sums := NewTable(rows, columns)
		isTouched := make([]bool, rows)
		for range most {
			row, gradient := int32(rng.IntN(rows)), random()
			if rng.IntN(3) == 0 {
				row = 7 // many gradients of one row
			}
			touched.Add(row, gradient)
			k.ScaleAdd(PaddedRow(sums, int(row)), gradient, 1)
			isTouched[row] = true
		}
		for part := range touched.Parts() {
			touched.Step(k, touching, part, random(), 0.1, step+1)
		}
		for row, is := range isTouched {
			if is {
				whole.Step(row, PaddedRow(sums, row), 0.1, step+1)
			}
		}
		if !slices.Equal(touchedTable.Data, wholeTable.Data) ||
			!slices.Equal(touching.Slots()[0], whole.Slots()[0]) {
			t.Fatalf("step %d: the tables differ", step+1)
		}
	}
	if slices.Equal(PaddedRow(touchedTable, 7), make([]float32, columns)) {
		t.Error("row 7 did not change")
	}
}
