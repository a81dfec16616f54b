package eval_test

import (
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
)

// TestSample checks the size and order of samples, that they are reproducible, and that each is
// part of every larger one.
func TestSample(t *testing.T) {
	all := make([]int, 100)
	for i := range all {
		all[i] = 3 * i
	}
	if got := eval.Sample(all, eval.None); len(got) != 0 {
		t.Errorf("none of them is %v", got)
	}
	before := []int{}
	for n := 1; n <= len(all)+1; n++ {
		got := eval.Sample(all, n)
		if len(got) != min(n, len(all)) || !slices.IsSorted(got) ||
			len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Fatalf("%d of them are %v", n, got)
		}
		if !slices.Equal(got, eval.Sample(all, n)) {
			t.Errorf("%d of them differ from call to call", n)
		}
		for _, x := range before {
			if !slices.Contains(got, x) {
				t.Errorf("%d is among %d of them and not among %d", x, n-1, n)
			}
		}
		before = got
	}
	if got := eval.Sample(all, 0); !slices.Equal(got, all) {
		t.Errorf("all of them are %v", got)
	}
	if few := eval.Sample(all, 10); slices.Equal(few, all[:10]) {
		t.Error("a sample is the beginning")
	}
}
