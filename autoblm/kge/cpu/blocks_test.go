package cpu

import (
	"fmt"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// TestBlocksOfManySizes compares gradients with difference quotients for blocks of one position
// with and without padding, of few and of many positions, and with rows of relations that several
// examples of a batch share.
func TestBlocksOfManySizes(t *testing.T) {
	for _, c := range []struct{ size, positions int }{{16, 1}, {5, 1}, {3, 7}, {2, 8}, {3, 17}, {1, 5}} {
		for _, reciprocal := range []bool{false, true} {
			t.Run(fmt.Sprintf("%+v, reciprocal %v", c, reciprocal), func(t *testing.T) {
				d := completion.Data(enginetest.RandomGraph(30, 3, 130, 3))
				s, m := kge.DefaultSettings(), kge.Member{Form: form.Block(c.size), Seed: 2}
				s.Dim, s.Batch, s.Reciprocal = c.size*c.positions, 110, reciprocal
				s.Initial = kge.XavierAll
				m.LearningRate, m.Products, m.RelationPrediction, m.N3 = 0.1, 0.02, 0.3, 0.01
				gradients := enginetest.NewCase(d, s, m, 1, 5)
				for _, set := range kernel.Sets() {
					e := &Engine{threads: 2, kernels: set, bf16Sets: kernel.BF16Sets()}
					gradients.Check(t, e, 1e-5)
				}
			})
		}
	}
}

// BenchmarkBlocks measures the hops of a batch of 1,000 queries and their gradients, at d 512.
func BenchmarkBlocks(b *testing.B) {
	const dim, paths = 512, 1000
	table := func(rows, columns int) kernel.Table {
		return kernel.Table{Data: make([]float32, rows*columns), Stride: columns}
	}
	for _, size := range []int{1, 8, 32, 64, 128, 512} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			h := newBlocks(kernel.Sets()[0], size, dim)
			from, to, gradient := table(paths, dim), table(paths, dim), table(paths, dim)
			relations := []kernel.Table{table(1, size*dim)}
			back := hopGradients{table(paths, dim), []kernel.Table{table(1, size*dim)}}
			for b.Loop() {
				h.Step(to, from, relations, paths, false)
				h.Back(gradient, from, relations, back, paths, false)
			}
		})
	}
}
