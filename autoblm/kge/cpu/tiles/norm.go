package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// ClipNorms scales those of the first n rows that are longer than the largest norm
// to it.
func ClipNorms(k *kernel.Set, t kernel.Table, n int, largest float64) {
	for i := range n {
		x := PaddedRow(t, i)
		if square := Dot(x, x); square > largest*largest {
			k.Scale(x, x, float32(largest/math.Sqrt(square)))
		}
	}
}
