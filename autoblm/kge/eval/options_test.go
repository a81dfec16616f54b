package eval_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestRankingInTime checks that a sample of each split is ranked, each question once: few without
// time, all with enough time.
func TestRankingInTime(t *testing.T) { synctest.Test(t, rankInTime) }

func rankInTime(t *testing.T) {
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
		require.NoError(t, err)
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
	for pause, want := range map[time.Duration][]int{
		time.Millisecond: sizes, 100 * time.Millisecond: {64, 0, 64},
	} {
		end := time.Now().Add(-time.Hour)
		if got := counts(of(eval.Options{End: end}, pause)); !slices.Equal(got, want) {
			t.Errorf("without time, %v of %v, each in %v", got, sizes, pause)
		}
	}
	began := time.Now()
	of(eval.Options{End: began.Add(time.Minute)}, 200*time.Millisecond)
	if took := time.Since(began); took > time.Minute {
		t.Errorf("took %v", took)
	}
}

// TestRoundSize checks that all questions are ranked if they take seconds or fit into the time.
func TestRoundSize(t *testing.T) {
	for _, c := range []struct {
		rest              int
		perQuestion, left float64
		want              int
	}{
		{100_000, 1e-5, -5, 100_000}, // a second
		{100_000, 1.5e-5, -5, 0},     // more is too late
		{100_000, 1e-3, 200, 100_000},
		{100_000, 1e-3, 100, 50_000},
		{100_000, 1e-3, -1, 0},
		{1000, 0.1, 6, 0}, // which allows only 30
	} {
		if got := eval.RoundSize(c.rest, c.perQuestion, c.left); got != c.want {
			t.Errorf("%+v: got %d", c, got)
		}
	}
}
