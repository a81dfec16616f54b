package kernel_test

import (
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// FuzzBF16 compares products of bfloat16 numbers and the packing of their factors with the Go
// version for any shape, and checks that the kernels stay within their tables.
func FuzzBF16(f *testing.F) {
	f.Add(uint8(0), uint8(0), uint8(0), uint8(0), uint8(0), uint8(0), uint64(1))
	f.Add(uint8(5), uint8(5), uint8(15), uint8(191), uint8(31), uint8(7), uint64(2))
	f.Add(uint8(2), uint8(6), uint8(16), uint8(33), uint8(32), uint8(16), uint64(3))
	f.Add(uint8(1), uint8(1), uint8(127), uint8(15), uint8(255), uint8(1), uint64(4))
	rng := rand.New(rand.NewPCG(1, 2))
	number := func() uint8 { return uint8(rng.Uint32()) }
	for range 40 {
		f.Add(number(), number(), number(), number(), number(), number(), rng.Uint64())
	}
	f.Fuzz(func(t *testing.T, bands, columns, steps, rows, width, margin uint8, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := shape{2 * (1 + int(bands)%8), 1 + int(columns)%9, 1 + int(steps)%132}
		if s.bands*s.columns*s.steps > 150 { // the Go version is slow
			s.bands, s.columns = 2, 1+int(columns)%2
		}
		special := seed%2 == 1
		for _, set := range assemblySets(t) {
			multiplies(t, set, rng, s, special)
			packs(t, set, rng, s)
			rounds(t, set, rng, 1+int(rows), kernel.Columns*(1+int(width)%16), int(margin))
			exponentiates(t, set, rng, 1+int(rows), step*(1+s.steps%9), int(margin))
		}
	})
}

// FuzzProducts compares products of float32 numbers with the Go version for any shape.
func FuzzProducts(f *testing.F) {
	f.Add(uint8(0), uint8(0), uint8(0), uint8(0), uint64(1))
	f.Add(uint8(3), uint8(5), uint8(69), uint8(4), uint64(2))
	f.Add(uint8(1), uint8(2), uint8(255), uint8(16), uint64(3))
	rng := rand.New(rand.NewPCG(1, 2))
	number := func() uint8 { return uint8(rng.Uint32()) }
	for range 100 {
		f.Add(number(), number(), number(), number(), rng.Uint64())
	}
	f.Fuzz(func(t *testing.T, rows, columns, inner, margin uint8, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		for _, set := range kernel.Sets() {
			multipliesTables(t, set, rng, kernel.Rows*(1+int(rows)%5), kernel.Columns*(1+int(columns)%8),
				1+int(inner), int(margin), seed%4 == 0)
		}
	})
}
