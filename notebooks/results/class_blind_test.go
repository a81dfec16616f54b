package results

import (
	"cmp"
	"math"
	"slices"
	"testing"
)

// blind is what class-blind.sh adds to the JSON of the best setting's models.
type blind struct {
	Members  []int   `json:"members"` // numbers of settings, the best first
	Accuracy float64 `json:"accuracy"`
}

// validated is a setting that class-blind.sh cross-validated.
type validated struct {
	Number  int      `json:"number"`
	HeldOut float64  `json:"held_out"`
	Again   *float64 `json:"again"` // held out in four divisions, nil where it did not come so far
}

// checkBlind holds what was chosen to the rule of class-blind.sh.
func checkBlind(t *testing.T, path string, r classResult) {
	t.Helper()
	best := func(of func(validated) float64, from []validated, n int) (numbers []int) {
		from = slices.Clone(from)
		slices.SortStableFunc(from, func(a, b validated) int { return cmp.Compare(of(b), of(a)) })
		for _, one := range from[:n] {
			numbers = append(numbers, one.Number)
		}
		return numbers
	}
	again := slices.DeleteFunc(slices.Clone(r.Tried), func(one validated) bool { return one.Again == nil })
	cameSoFar := best(func(one validated) float64 { return one.HeldOut }, r.Tried, len(again))
	slices.Sort(cameSoFar)
	if len(again) != 16 || !slices.EqualFunc(again, cameSoFar, func(one validated, number int) bool { return one.Number == number }) {
		t.Errorf("%s: %d settings were cross-validated again, and %v were to be", path, len(again), cameSoFar)
	}
	if ensemble := best(func(one validated) float64 { return *one.Again }, again, 8); !slices.Equal(r.Ensemble.Members, ensemble) {
		t.Errorf("%s: the ensemble is of %v, and by the rule of %v", path, r.Ensemble.Members, ensemble)
	}
	if chosen := *r.Tried[r.Ensemble.Members[0]-1].Again; chosen != r.CVAccuracy {
		t.Errorf("%s: the models alone have %v held out, and the best setting %v", path, r.CVAccuracy, chosen)
	}
}

// wilson is Wilson's interval of 95 % for the share of all nodes of a kind that are classified
// right, by that of n of them.
func wilson(share float64, n int) (low, high float64) {
	const z = 1.959964
	weight := z * z / float64(n)
	middle := (share + weight/2) / (1 + weight)
	half := math.Sqrt((share*(1-share)+weight/4)*weight) / (1 + weight)
	return middle - half, middle + half
}

// TestWilson: the ends of the interval are the shares of which the one that was found is 1.96
// standard errors away.
func TestWilson(t *testing.T) {
	for _, n := range []int{36, 68} {
		for _, share := range []float64{0, 0.5, 0.85, 1} {
			low, high := wilson(share, n)
			for _, end := range []float64{low, high} {
				if end := math.Round(end*1e12) / 1e12; end < 0 || end > 1 {
					t.Errorf("%v of %d is between %v and %v", share, n, low, high)
				}
				deviation := math.Sqrt(max(0, end*(1-end)) / float64(n))
				if math.Abs(math.Abs(end-share)-1.959964*deviation) > 1e-6 {
					t.Errorf("%v of %d: the end %v is not 1.96 standard errors away", share, n, end)
				}
			}
			if low > share+1e-12 || high < share-1e-12 || high-low < 0.05 {
				t.Errorf("%v of %d is between %v and %v", share, n, low, high)
			}
		}
	}
}
