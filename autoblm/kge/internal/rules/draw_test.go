package rules_test

import (
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
)

// TestSoftmaxSamplesAreEven checks that all pairs of entities are drawn together about equally
// often, and that each sample is marked, ascending and reproducible.
func TestSoftmaxSamplesAreEven(t *testing.T) {
	const entities, count, steps = 12, 5, 20_000
	var together [entities][entities]int
	drawn, again := make([]int32, count), make([]int32, count)
	for step := uint64(1); step <= steps; step++ {
		among := make([]bool, entities)
		rules.DrawSample(3, step, drawn, among)
		for i, a := range drawn {
			if i > 0 && drawn[i-1] >= a {
				t.Fatalf("step %d: %v is not ascending", step, drawn)
			}
			for _, b := range drawn[:i] {
				together[b][a]++
			}
		}
		for entity, is := range among {
			if is != slices.Contains(drawn, int32(entity)) {
				t.Fatalf("step %d: %d is marked %v, drawn are %v", step, entity, is, drawn)
			}
		}
		if rules.DrawSample(3, step, again, make([]bool, entities)); !slices.Equal(again, drawn) {
			t.Fatalf("step %d: first %v, then %v", step, drawn, again)
		}
	}
	const p = float64(count*(count-1)) / (entities * (entities - 1))
	for a := range entities {
		for b := a + 1; b < entities; b++ {
			if off := math.Abs(float64(together[a][b]) - p*steps); off > 5*math.Sqrt(p*(1-p)*steps) {
				t.Errorf("%d and %d are drawn together %d times of %d, want about %.0f", a, b, together[a][b],
					steps, p*steps)
			}
		}
	}
}

func TestSoftmaxSamplesOfAllEntities(t *testing.T) {
	drawn := make([]int32, 4)
	rules.DrawSample(1, 1, drawn, make([]bool, 4))
	if want := []int32{0, 1, 2, 3}; !slices.Equal(drawn, want) {
		t.Errorf("drawn are %v, want %v", drawn, want)
	}
}
