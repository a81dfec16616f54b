package cpu

import (
	"fmt"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
)

func TestConformance(t *testing.T) {
	for i, set := range kernel.Sets() {
		for _, threads := range [][]int{{1, 3}, {2}}[min(i, 1)] {
			t.Run(fmt.Sprintf("%s/%d threads", set.Name, threads), func(t *testing.T) {
				enginetest.Run(t, &Engine{threads: threads, kernels: set}, 1e-5)
			})
		}
	}
}

// TestGoingOn to the bit, with threads and without.
func TestGoingOn(t *testing.T) {
	for _, threads := range []int{1, 2} {
		enginetest.Continues(t, New(threads), 0)
		enginetest.Resumes(t, New(threads))
	}
}
