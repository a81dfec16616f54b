package autoblm

import (
	"context"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

// TestArithmeticNamesGPUs adds the models of GPUs to arithmetic on CUDA alone.
func TestArithmeticNamesGPUs(t *testing.T) {
	for _, c := range []struct {
		name string
		gpus []string
		want string
	}{
		{"gomlx xla:cuda", []string{"NVIDIA H200"}, "gomlx xla:cuda/NVIDIA H200"},
		{"gomlx xla:cuda", []string{"b", "a", "b"}, "gomlx xla:cuda/a/b"},
		{"gomlx xla:cpu", []string{"NVIDIA H200"}, "gomlx xla:cpu"},
		{"cpu avx512", []string{"NVIDIA H200"}, "cpu avx512"},
	} {
		got := withGPUs(c.name, func(context.Context) (all []probe.GPU) {
			for _, name := range c.gpus {
				all = append(all, probe.GPU{Name: name})
			}
			return all
		})
		if got != c.want {
			t.Errorf("%s with %v: %q, want %q", c.name, c.gpus, got, c.want)
		}
	}
}
