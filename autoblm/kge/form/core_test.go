package form

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
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
		require.Error(t, f.UnmarshalText([]byte(name)), "use a name with its sizes, such as core-2")
	}
	var f Form
	require.NoError(t, f.UnmarshalText([]byte("core-3-normalized")))
	if f != Core(3).WithNorm() || f.Partitions() != 3 || f.WithoutNorm() != Core(3) || Core(3).HasNorm() {
		t.Errorf("core-3-normalized is %v", f)
	}
	for _, name := range []string{"gqe-normalized", "core-3-normalized-normalized", "tucker-normalized"} {
		require.Error(t, f.UnmarshalText([]byte(name)), "unknown model")
	}
	require.NoError(t, Core(3).CheckDim(300))
	require.Error(t, Core(3).CheckDim(100), "multiple of 3, such as 102")
	require.Error(t, Core(3).CheckDim(0), "such as 3")
}

// TestRoundDim checks the smallest dimension that a form and the chunks of structures divide.
func TestRoundDim(t *testing.T) {
	k3, k4, none := structure.Zero(3), structure.Zero(4), structure.Structure{}
	for _, c := range []struct {
		form       Form
		dim        int
		structures []structure.Structure
		want       int
	}{
		{Core(3), 64, nil, 66}, {Core(3), 66, nil, 66}, {Core(3), 0, nil, 3}, {DefaultConvE.Form(), 64, nil, 80},
		{Bilinear, 512, []structure.Structure{k3}, 513}, {Bilinear, 64, []structure.Structure{k3, k4}, 72},
		{RotatE, 63, []structure.Structure{none}, 64}, {Bilinear, 7, nil, 7},
	} {
		if got := c.form.RoundDim(c.dim, c.structures...); got != c.want {
			t.Errorf("%v rounds %d to %d, want %d", c.form, c.dim, got, c.want)
		}
	}
}

// TestPublishedTitles: forms that have other published names show both.
func TestPublishedTitles(t *testing.T) {
	for f, want := range map[Form]string{
		Tucker: "core-1 (TuckER)", Tucker.WithNorm(): "core-1-normalized (TuckER)", GQE: "gqe (RESCAL)",
		Core(2): "core-2", Bilinear: structure.Structure{}.Title(),
	} {
		if got := f.Title(structure.Structure{}); got != want {
			t.Errorf("%v has the title %s, want %s", f, got, want)
		}
	}
}
