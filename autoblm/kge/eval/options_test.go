package eval_test

import (
	"slices"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
)

// TestRankingInTime checks that a sample of each split is ranked, each question once: few without
// time, all with enough time.
func TestRankingInTime(t *testing.T) {
	sizes := []int{300, 0, 100}
	of := func(how eval.Options, pause time.Duration) [][]int {
		seen := make([][]int, len(sizes))
		ranked, err := how.Rank(nil, sizes, func(split int, numbers []int) error {
			time.Sleep(pause * time.Duration(len(numbers)))
			if !slices.IsSorted(numbers) {
				t.Errorf("asked for %v", numbers)
			}
			seen[split] = append(seen[split], numbers...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for split, size := range sizes {
			all := make([]int, size)
			for i := range all {
				all[i] = i
			}
			slices.Sort(seen[split])
			if !slices.Equal(ranked[split], seen[split]) || len(seen[split]) > 0 &&
				!slices.Equal(seen[split], eval.Sample(all, len(seen[split]))) {
				t.Errorf("ranked %v of split %d, which is no sample; asked for %v", ranked[split], split,
					seen[split])
			}
		}
		return ranked
	}
	counts := func(ranked [][]int) []int {
		return []int{len(ranked[0]), len(ranked[1]),
			len(ranked[2])}
	}
	for _, how := range []eval.Options{{}, {End: time.Now().Add(time.Hour)}} {
		if got := counts(of(how, 0)); !slices.Equal(got, sizes) {
			t.Errorf("with all the time, %v of %v", got, sizes)
		}
	}
	if got := counts(of(eval.Options{End: time.Now().Add(-time.Hour)}, 0)); !slices.Equal(got,
		[]int{64, 0, 64}) {
		t.Errorf("without time, %v of %v", got, sizes)
	}
	of(eval.Options{End: time.Now().Add(100 * time.Millisecond)}, 300*time.Microsecond)
}
