package form

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawCell draws any cell.
func drawCell(t *rapid.T) (c Cell) {
	for p, size := range CellParts() {
		c = c.WithPart(CellPart(p), rapid.IntRange(0, size-1).Draw(t, "part"))
	}
	return c
}

// TestCellParts checks that the parts of a cell are all that it has.
func TestCellParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCell(t)
		var copied Cell
		for p, size := range CellParts() {
			v := c.Part(CellPart(p))
			if v < 0 || v >= size {
				t.Fatalf("part %d of %v is %d", p, c, v)
			}
			copied = copied.WithPart(CellPart(p), v)
		}
		if copied != c {
			t.Fatalf("the parts of %v make %v", c, copied)
		}
	})
}

// cellWeights returns weights for both cells, in which the matrices that both have are equal.
func cellWeights(a, b Cell, size int, rng *rand.Rand) (ofA, ofB []float64) {
	ofA, ofB = make([]float64, a.rows(size)*size), make([]float64, b.rows(size)*size)
	for i := range ofA {
		ofA[i] = rng.NormFloat64()
	}
	for n := range CellGateMatrix + 1 {
		from, inputs, bias := a.Weights(n, size)
		to, same, _ := b.Weights(n, size)
		if rows := inputs; same > 0 {
			if bias {
				rows++
			}
			copy(ofB[to*size:], ofA[from*size:(from+rows)*size])
		}
	}
	return ofA, ofB
}

// TestCanonicalCells checks by numbers that a canonical cell gives the same queries as the cell, for
// paths of several hops, and for single hops if it is one for these.
func TestCanonicalCells(t *testing.T) {
	const size = 4
	rapid.Check(t, func(t *rapid.T) {
		c := drawCell(t)
		oneHop := rapid.Bool().Draw(t, "one hop")
		hops := 1
		if !oneHop {
			hops = rapid.IntRange(1, 3).Draw(t, "hops")
		}
		canonical := c.Canonical(oneHop)
		if canonical.Canonical(oneHop) != canonical {
			t.Fatalf("%v becomes %v, which is not canonical", c, canonical)
		}
		if (c.Check() == nil) != (canonical.Check() == nil) {
			t.Fatalf("only one of %v and %v is allowed", c, canonical)
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		draw := func() (rows [][]float64) {
			for range hops {
				row := make([]float64, 2*size)
				for i := range row {
					row[i] = rng.NormFloat64()
				}
				rows = append(rows, row)
			}
			return rows
		}
		entities, relations, transposed := draw(), draw(), make([]bool, hops)
		ofC, ofCanonical := cellWeights(c, canonical, size, rng)
		want := c.Read(entities, relations, transposed, ofC)
		got := canonical.Read(entities, relations, transposed, ofCanonical)
		if !slices.Equal(got, want) {
			t.Fatalf("%v: %v, and as %v: %v", c, want, canonical, got)
		}
	})
}

// TestUsedPartsMatter checks that cells that differ in a used part have different queries after two
// hops.
func TestUsedPartsMatter(t *testing.T) {
	const size, hops = 4, 2
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func() (rows [][]float64) {
		for range hops {
			row := make([]float64, 2*size)
			for i := range row {
				row[i] = rng.NormFloat64()
			}
			rows = append(rows, row)
		}
		return rows
	}
	query := func(c Cell, entities, relations [][]float64) []float64 {
		weights := make([]float64, c.rows(size)*size)
		own := rand.New(rand.NewPCG(2, 2))
		for i := range weights {
			weights[i] = own.NormFloat64()
		}
		return c.Read(entities, relations, make([]bool, hops), weights)
	}
	for range 200 {
		var c Cell
		for p, size := range CellParts() {
			c = c.WithPart(CellPart(p), rng.IntN(size))
		}
		if c.Check() != nil {
			continue
		}
		entities, relations := draw(), draw()
		for p, size := range CellParts() {
			part := CellPart(p)
			other := c.WithPart(part, (c.Part(part)+1+rng.IntN(size-1))%size)
			if !c.Uses(part) || other.Check() != nil {
				continue
			}
			if slices.Equal(query(c, entities, relations), query(other, entities, relations)) {
				t.Errorf("%v and %v have equal queries, but differ in the used part %d", c, other, p)
			}
		}
	}
}
