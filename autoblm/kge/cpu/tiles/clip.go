package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// ClipNorms scales down those of the first n rows whose norm exceeds maxNorm.
func ClipNorms(k *kernel.Set, t kernel.Table, n int, maxNorm float64) {
	for i := range n {
		x := PaddedRow(t, i)
		if square := Dot(x, x); square > maxNorm*maxNorm {
			k.Scale(x, x, float32(maxNorm/math.Sqrt(square)))
		}
	}
}
