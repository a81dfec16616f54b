package kernel

import (
	"testing"

	"github.com/klauspost/cpuid/v2"
)

// TestVDPBF16IsFaster checks that AVX512-BF16 counts as slow only on Intel processors with
// AVX512-FP16.
func TestVDPBF16IsFaster(t *testing.T) {
	for _, c := range []struct {
		name     string
		vendor   cpuid.Vendor
		features []cpuid.FeatureID
		want     bool
	}{
		{"Cooper Lake", cpuid.Intel, nil, true},
		{
			"Sapphire Rapids", cpuid.Intel,
			[]cpuid.FeatureID{cpuid.AVX512FP16, cpuid.AMXTILE, cpuid.AMXBF16}, false,
		},
		{"Sapphire Rapids, AMX hidden", cpuid.Intel, []cpuid.FeatureID{cpuid.AVX512FP16}, false},
		{"Zen 4", cpuid.AMD, nil, true},
		{"an AMD with AVX512-FP16", cpuid.AMD, []cpuid.FeatureID{cpuid.AVX512FP16}, true},
	} {
		p := cpuid.CPUInfo{VendorID: c.vendor}
		p.Enable(append(c.features, cpuid.AVX512F, cpuid.AVX512BF16)...)
		if got := vdpbf16IsFaster(p); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
