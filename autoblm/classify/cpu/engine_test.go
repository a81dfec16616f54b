package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/classify/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// TestConformance runs the suite with all kernels and several numbers of threads. Members do not
// influence each other to the bit.
func TestConformance(t *testing.T) {
	for i, set := range kernel.Sets() {
		t.Run(fmt.Sprintf("%s/%d threads", set.Name, 1+i), func(t *testing.T) {
			enginetest.Run(t, &Engine{threads: 1 + i, kernels: set},
				enginetest.Tolerance{Reference: 1e-4}, enginetest.Settings(),
				enginetest.Settings())
		})
	}
}

// TestPaddingStaysZero checks that blocks written by kernels do not leak into the padding of
// parameters.
func TestPaddingStaysZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 4))
	for _, s := range enginetest.Settings() {
		r := classify.Run{Member: classify.Member{Structure: structure.MustParse("1,-2;2,1"), Seed: 1,
			LearningRate: 0.03, L2: 0.02, Dropout: 0.3}, Learn: []int{0, 1, 2, 3, 4, 5, 6, 7, 8}}
		n := classify.NewNetwork(enginetest.RandomGraph(rng, 40, 5, 220), s)
		p, err := New(1).Prepare(n)
		if err != nil {
			t.Fatal(err)
		}
		m := p.(*program).newModel(r)
		for range 3 {
			m.step()
		}
		for i, p := range m.parameters {
			for row := range p.rows {
				if slices.ContainsFunc(p.padded(row)[p.columns:], func(x float32) bool { return x != 0 }) {
					t.Fatalf("%s: %v has %v in row %d", enginetest.Describe(s), m.Parameters[i], p.padded(row),
						row)
				}
			}
		}
	}
}
