package probe_test

import (
	"context"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe/probetest"
	"github.com/google/go-cmp/cmp"
)

// smi returns an nvidia-smi that prints a text for all arguments.
func smi(text string) func(context.Context, ...string) ([]byte, error) {
	return func(context.Context, ...string) ([]byte, error) { return []byte(text), nil }
}

func TestGPUs(t *testing.T) {
	// The format is that of the driver's documentation of /proc/driver/nvidia.
	const version = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.03  " +
		"Release Build  (dvs-builder)\nGCC version:  gcc version 12.3.0 (Ubuntu)\n"
	devices := map[string][]byte{
		"/dev/nvidia0": nil, "/dev/nvidia1": nil, "/dev/nvidiactl": nil, "/dev/nvidia-uvm": nil,
		"/proc/driver/nvidia/version": []byte(version),
	}
	fromFiles := []probe.GPU{{"NVIDIA GPU", 0, "580.159.03"}, {"NVIDIA GPU", 0, "580.159.03"}}
	for name, c := range map[string]struct {
		files map[string][]byte
		smi   string
		want  []probe.GPU
	}{
		"nvidia-smi": {
			devices, "NVIDIA H200, 143771, 580.159.03\nNVIDIA GB10, [N/A], 580.1\n",
			[]probe.GPU{{"NVIDIA H200", 143771 << 20, "580.159.03"}, {"NVIDIA GB10", 0, "580.1"}},
		},
		"nvidia-smi fails":       {devices, "", fromFiles},
		"nvidia-smi prints text": {devices, "NVIDIA-SMI has failed", fromFiles},
		"nothing":                {nil, "", nil},
	} {
		m := probetest.Machine(nil, c.files)
		if c.smi != "" {
			m.RunSMI = smi(c.smi)
		}
		if diff := cmp.Diff(c.want, m.GPUs(t.Context())); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestNoGPU(t *testing.T) {
	device := map[string][]byte{"/dev/nvidia0": nil}
	control := map[string][]byte{"/dev/nvidiactl": nil}
	const windows = "GPU 0: NVIDIA RTX 4090 (UUID: GPU-1)\n"
	type variables = map[string]string
	for name, c := range map[string]struct {
		variables variables
		files     map[string][]byte
		smi       string
		want      string
	}{
		"device":              {nil, device, "", ""},
		"only control device": {nil, control, "", "no NVIDIA GPU"},
		"nothing":             {nil, nil, "", "no NVIDIA GPU"},
		"Linux in Windows":    {nil, nil, windows, ""},
		"none listed":         {nil, nil, "No devices were found\n", "no NVIDIA GPU"},
		"one visible":         {variables{"CUDA_VISIBLE_DEVICES": "0"}, device, "", ""},
		"hidden": {
			variables{"CUDA_VISIBLE_DEVICES": ""}, device, "", "CUDA_VISIBLE_DEVICES",
		},
		"hidden by -1": {
			variables{"CUDA_VISIBLE_DEVICES": "-1"}, device, "", "CUDA_VISIBLE_DEVICES",
		},
	} {
		m := probetest.Machine(c.variables, c.files)
		if c.smi != "" {
			m.RunSMI = smi(c.smi)
		}
		problem := m.NoGPU(t.Context())
		if (problem == nil) != (c.want == "") ||
			problem != nil && (!strings.Contains(problem.Reason, c.want) || problem.Fix == "") {
			t.Errorf("%s: %v, want %q", name, problem, c.want)
		}
	}
}
