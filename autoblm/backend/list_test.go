package backend

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

func TestDevices(t *testing.T) {
	h200 := probe.GPU{Name: "NVIDIA H200", Memory: 140 << 30, Driver: "580.159.03"}
	t4 := probe.GPU{Name: "NVIDIA T4"}
	for want, b := range map[string]Backend{
		"CPU":             {Name: Go},
		"CPU (devices=N)": {Name: CPU},
		"no GPU":          {Name: CUDA},
		"NVIDIA T4":       {Name: CUDA, GPUs: []probe.GPU{t4}},
		"2 × NVIDIA H200, 140 GiB, driver 580.159.03; NVIDIA T4": {
			Name: CUDA, GPUs: []probe.GPU{h200, h200, t4},
		},
	} {
		if got := b.Devices(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
