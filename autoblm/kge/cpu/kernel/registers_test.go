package kernel_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
)

// TestAVX2HasSixteenRegisters checks that AVX2 kernels use no registers of AVX-512. Developers'
// machines usually have AVX-512 and would not fail.
func TestAVX2HasSixteenRegisters(t *testing.T) {
	assembly, err := os.ReadFile("kernels_amd64.s")
	require.NoError(t, err)
	functions := strings.Split(string(assembly), "\nTEXT ·")[1:]
	ofAVX512 := regexp.MustCompile(`\b(Z\d+|K\d|[XY](1[6-9]|2\d|3[01]))\b`)
	checked := 0
	for _, function := range functions {
		name, _, _ := strings.Cut(function, "(")
		if !strings.Contains(name, "AVX2") {
			continue
		}
		checked++
		if register := ofAVX512.FindString(function); register != "" {
			t.Errorf("%s uses %s", name, register)
		}
	}
	if checked < 16 {
		t.Errorf("of %d functions %d are for AVX2", len(functions), checked)
	}
}
