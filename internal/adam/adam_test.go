package adam

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// TestDirection compares steps with the formulas of the publication.
func TestDirection(t *testing.T) {
	backend, err := gobackend.New("")
	require.NoError(t, err)
	t.Cleanup(backend.Finalize)
	const epsilon = 1e-3
	exec, err := NewExec(backend, func(in []*Node) []*Node {
		direction, now := Direction(in[0], Moments{in[1], in[2]}, in[3], epsilon)
		return []*Node{direction, now.Mean, now.Square}
	})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	const size = 5
	var mean, square [size]float64
	moments := [2][]float32{make([]float32, size), make([]float32, size)}
	for step := 1; step <= 20; step++ {
		gradient := make([]float32, size)
		for i := range gradient {
			gradient[i] = float32(rng.NormFloat64() * math.Pow(10, float64(i-2)))
		}
		outputs, err := exec.Call(gradient, moments[0], moments[1], float32(step))
		require.NoError(t, err)
		direction := tensors.MustCopyFlatData[float32](outputs[0])
		for i := range moments {
			moments[i] = tensors.MustCopyFlatData[float32](outputs[1+i])
		}
		for i, g := range gradient {
			mean[i] = 0.9*mean[i] + 0.1*float64(g)
			square[i] = 0.999*square[i] + 0.001*float64(g)*float64(g)
			root := math.Sqrt(square[i] / (1 - math.Pow(0.999, float64(step))))
			want := mean[i] / (1 - math.Pow(0.9, float64(step))) / (root + epsilon)
			if got := float64(direction[i]); math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
				t.Errorf("step %d, number %d: %v, want %v", step, i, got, want)
			}
		}
	}
}
