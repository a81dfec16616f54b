package cpu

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/enginetest"
)

func TestConformance(t *testing.T) {
	for _, set := range kernel.Sets() {
		for _, threads := range []int{1, 3} {
			t.Run(set.Name, func(t *testing.T) {
				enginetest.Run(t, &Engine{threads: threads, kernels: set})
			})
		}
	}
}
