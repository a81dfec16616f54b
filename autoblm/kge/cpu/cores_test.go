package cpu

import (
	"fmt"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/require"
)

// divideSmallCores makes products with cores divide also small ones into blocks until the test ends.
func divideSmallCores(t *testing.T) {
	numbers, asked, ends := numbersTogether, askedTogether, endsTogether
	t.Cleanup(func() { numbersTogether, askedTogether, endsTogether = numbers, asked, ends })
	numbersTogether, askedTogether, endsTogether = 3*kernel.Columns, kernel.Columns, kernel.TileInner
}

// TestCoresOfManySizes compares gradients with difference quotients for partitions with and without
// padding, few and many relations, several units, dropout in a sorted batch, relation prediction
// and penalties, with whole cores and with cores that are divided into blocks, in both precisions.
func TestCoresOfManySizes(t *testing.T) {
	for _, c := range []struct{ partitions, size, relations, triples int }{
		{3, 7, 2, 130}, {1, 13, 40, 130}, {2, 17, 5, 130}, {1, 40, 3, 60},
	} {
		for _, reciprocal := range []bool{false, true} {
			name := fmt.Sprintf("%+v, reciprocal %v", c, reciprocal)
			t.Run(name, func(t *testing.T) {
				d := completion.Data(enginetest.RandomGraph(40, c.relations, c.triples, 3))
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
				check := func() {
					for _, set := range kernel.Sets() {
						e := &Engine{threads: 2, kernels: set, bf16Sets: kernel.BF16Sets()}
						gradients.Check(t, e, 1e-5)
					}
					gradients.Check(t, bfloat16Engines(2)[0], 0.015)
				}
				check()
				divideSmallCores(t)
				check()
			})
		}
	}
}

// TestCoresWithOneIVR checks gradients of cores that are mostly those of one penalty of IVR, in both
// precisions. Next to other terms, the tolerance of bfloat16 hides some errors in them.
func TestCoresWithOneIVR(t *testing.T) {
	for name, w := range map[string]kge.Weights{
		"IVR": {IVR: 5}, "products": {IVRProducts: 5},
	} {
		for _, reciprocal := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, reciprocal %v", name, reciprocal), func(t *testing.T) {
				d := completion.Data(enginetest.RandomGraph(20, 2, 50, 3))
				s, m := kge.DefaultSettings(), kge.Member{Form: form.Core(1), Seed: 2, Weights: w}
				s.Dim, s.Batch, s.InitScale, s.Reciprocal = 7, 50, 0.5, reciprocal
				m.LearningRate = 0.1
				gradients := enginetest.NewCase(d, s, m, 1, 8)
				gradients.Check(t, New(2), 1e-5)
				gradients.Check(t, bfloat16Engines(2)[0], 0.015)
			})
		}
	}
}

// TestCoresGiveSameBits checks that neither threads nor other members nor the size of kept
// exponentials change a bit of models with cores, in both precisions, with batches that are divided
// for IVR and with members that have none, one or both of its penalties.
func TestCoresGiveSameBits(t *testing.T) {
	divideSmallCores(t)
	for _, precision := range []kge.Precision{kge.Float32, kge.Bfloat16} {
		coresGiveSameBits(t, precision)
	}
}

func coresGiveSameBits(t *testing.T, precision kge.Precision) {
	t.Helper()
	d, s := completion.Data(graph()), settings()
	s.Dim, s.Reciprocal, s.Precision = 26, true, precision
	var all []kge.Member
	for i := range 4 {
		w := kge.Weights{RelationPrediction: 0.3, Orthogonality: 0.02}
		w.IVR, w.IVRProducts = 0.01*float64(i%2), 0.02*float64(i/2)
		all = append(all, kge.Member{
			Form: form.Core(2), Seed: uint64(i), LearningRate: 0.2, Weights: w,
		})
	}
	set := kernel.Sets()[0]
	engine := Engine{kernels: set, bf16Sets: kernel.BF16Sets()}
	sameBitsBy(t, engine, d, s, all, []kge.Batches{d.Batches(s, 1), d.Batches(s, 2)})
	s.BatchNorm, s.InputDropout = true, 0.2
	for i := range all {
		all[i].Weights = kge.Weights{Orthogonality: 0.02}
	}
	for _, answers := range []int{0, 5} {
		s.AnswersPerQuery = answers
		sameBitsBy(t, engine, d, s, all, []kge.Batches{d.Batches(s, 1), d.Batches(s, 2)})
	}
}

// TestBatchNormNeedsTriples checks that paths do not train with batch normalization.
func TestBatchNormNeedsTriples(t *testing.T) {
	s, m := settings(), kge.Member{Form: form.Core(2)}
	s.BatchNorm, s.Reciprocal = true, true
	for _, isTriples := range []bool{false, true} {
		err := New(1).Supports(&kge.Data{BothDirections: isTriples}, s, []kge.Member{m})
		if isTriples {
			require.NoError(t, err)
		} else {
			require.Error(t, err, "not paths: switch batch-norm off")
		}
	}
}

// TestNoEncoders checks that encoders are refused.
func TestNoEncoders(t *testing.T) {
	s := settings()
	s.Encoder = kge.RGCN
	err := New(1).Supports(&kge.Data{BothDirections: true}, s, []kge.Member{{Form: form.TransE}})
	require.Error(t, err, "encoder rgcn; use engine gomlx")
}
