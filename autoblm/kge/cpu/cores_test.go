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

// TestCoresOfManySizes compares gradients with difference quotients for partitions with and without
// padding, few and many relations, several units, dropout in a sorted batch, relation prediction
// and penalties.
func TestCoresOfManySizes(t *testing.T) {
	for _, c := range []struct{ partitions, size, relations int }{
		{3, 7, 2}, {1, 13, 40}, {2, 17, 5},
	} {
		for _, reciprocal := range []bool{false, true} {
			name := fmt.Sprintf("%+v, reciprocal %v", c, reciprocal)
			t.Run(name, func(t *testing.T) {
				d := completion.Data(enginetest.RandomGraph(40, c.relations, 130, 3))
				s, m := kge.DefaultSettings(), kge.Member{Form: form.Core(c.partitions), Seed: 2}
				s.Dim, s.Batch, s.InitScale = c.partitions*c.size, 120, 0.5
				s.Reciprocal, s.Dropout = reciprocal, 0.3
				m.LearningRate, m.Products, m.Orthogonality = 0.1, 0.02, 0.03
				if reciprocal { // one of them at a time, as their definitions are slow
					m.IVR, m.IVRProducts, m.IVRPower = 0.05, 0.03, 2.5
				} else if c.relations < 10 {
					m.RelationPrediction = 0.4
				}
				gradients := enginetest.NewCase(d, s, m, 1, 2)
				for _, set := range kernel.Sets() {
					e := &Engine{threads: 2, kernels: set, bf16Sets: kernel.BF16Sets()}
					gradients.Check(t, e, 1e-5)
				}
			})
		}
	}
}
