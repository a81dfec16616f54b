package eval_test

import (
	"math"
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

// TestStandardError compares the standard error with the spread of the means of all samples of two.
func TestStandardError(t *testing.T) {
	all := []float64{0, .1, .5, 1}
	var squares, estimates, n, mean float64
	for _, x := range all {
		mean += x / 4
	}
	for i := range all {
		for j := range i {
			squares += math.Pow((all[i]+all[j])/2-mean, 2)
			estimates += math.Pow(eval.StandardError([]float64{all[i], all[j]}, len(all)), 2)
			n++
		}
	}
	if math.Abs(squares-estimates) > 1e-12 {
		t.Errorf("the mean variance is estimated as %v, want %v", estimates/n, squares/n)
	}
	if e := eval.StandardError(all, 4); e != 0 {
		t.Errorf("all values have the error %v", e)
	}
}
