package form

import (
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
)

// TestNamesOfCores checks names with a number of partitions, and dimensions that they divide.
func TestNamesOfCores(t *testing.T) {
	for name, partitions := range map[string]int{"tucker": 1, "core-1": 1, "core-3": 3, "core-12": 12} {
		var f Form
		require.NoError(t, f.UnmarshalText([]byte(name)))
		if f != Core(partitions) || f.Partitions() != partitions {
			t.Errorf("%s is %v", name, f)
		}
	}
	for _, name := range []string{"core-0", "core-", "core--1", "core-03", "core-x", "core"} {
		var f Form
		require.Error(t, f.UnmarshalText([]byte(name)), "core-K")
	}
	require.NoError(t, Core(3).CheckDim(300))
	require.Error(t, Core(3).CheckDim(100), "multiple of 3, such as 102")
	require.Error(t, Core(3).CheckDim(0), "such as 3")
}
