package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// Shorten scales those of the first n rows that are longer than the largest norm
// to it.
func Shorten(k *kernel.Set, t kernel.Table, n int, largest float64) {
	for i := range n {
		x := WholeRow(t, i)
		if square := Dot(x, x); square > largest*largest {
			k.Scale(x, x, float32(largest/math.Sqrt(square)))
		}
	}
}
