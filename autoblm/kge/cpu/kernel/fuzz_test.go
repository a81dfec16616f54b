package kernel_test

import (
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// FuzzUnits: products of bfloat16 numbers, and what makes their factors, are those of the Go
// twins for any shape, and touch nothing beside.
func FuzzUnits(f *testing.F) {
	f.Add(uint8(0), uint8(0), uint8(0), uint8(0), uint8(0), uint8(0), uint64(1))
	f.Add(uint8(5), uint8(5), uint8(15), uint8(191), uint8(31), uint8(7), uint64(2))
	f.Add(uint8(2), uint8(6), uint8(16), uint8(33), uint8(32), uint8(16), uint64(3))
	f.Add(uint8(1), uint8(1), uint8(127), uint8(15), uint8(255), uint8(1), uint64(4))
	f.Fuzz(func(t *testing.T, bands, columns, steps, rows, width, margin uint8, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := shape{2 * (1 + int(bands)%8), 1 + int(columns)%9, 1 + int(steps)%132}
		if s.bands*s.columns*s.steps > 150 { // the twins are slow
			s.bands, s.columns = 2, 1+int(columns)%2
		}
		special := seed%2 == 1
		for _, unit := range assembled(t) {
			multiplies(t, unit, rng, s, special)
			packs(t, unit, rng, s)
			rounds(t, unit, rng, 1+int(rows), kernel.Columns*(1+int(width)%16), int(margin))
			exponentiates(t, unit, rng, 1+int(rows), step*(1+s.steps%9), int(margin))
		}
	})
}

// FuzzProducts: products of float32 numbers are those of the Go twin for any shape.
func FuzzProducts(f *testing.F) {
	f.Add(uint8(0), uint8(0), uint8(0), uint8(0), uint64(1))
	f.Add(uint8(3), uint8(5), uint8(69), uint8(4), uint64(2))
	f.Add(uint8(1), uint8(2), uint8(255), uint8(16), uint64(3))
	f.Fuzz(func(t *testing.T, rows, columns, inner, margin uint8, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		for _, set := range kernel.Sets() {
			multipliesTables(t, set, rng, kernel.Rows*(1+int(rows)%5), kernel.Columns*(1+int(columns)%8), 1+int(inner), int(margin), seed%4 == 0)
		}
	})
}
