package kernel

import (
	"testing"

	"github.com/klauspost/cpuid/v2"
)

// TestDoubles: of processors with AVX512-BF16, only Intel's with AVX512-FP16 are slow by it.
func TestDoubles(t *testing.T) {
	for _, c := range []struct {
		name     string
		vendor   cpuid.Vendor
		features []cpuid.FeatureID
		want     bool
	}{
		{"Cooper Lake", cpuid.Intel, nil, true},
		{"Sapphire Rapids", cpuid.Intel, []cpuid.FeatureID{cpuid.AVX512FP16, cpuid.AMXTILE, cpuid.AMXBF16}, false},
		{"Sapphire Rapids, its AMX hidden", cpuid.Intel, []cpuid.FeatureID{cpuid.AVX512FP16}, false},
		{"Zen 4", cpuid.AMD, nil, true},
		{"an AMD with AVX512-FP16", cpuid.AMD, []cpuid.FeatureID{cpuid.AVX512FP16}, true},
	} {
		p := cpuid.CPUInfo{VendorID: c.vendor}
		p.Enable(append(c.features, cpuid.AVX512F, cpuid.AVX512BF16)...)
		if got := doubles(p); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
