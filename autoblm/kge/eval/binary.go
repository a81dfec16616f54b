package eval

import (
	"cmp"
	"math"
	"slices"
)

// Decision is an example with a score, and whether it is true.
type Decision struct {
	Score  float64
	IsTrue bool
}

// calibrationBins is the number of groups of equal size of the expected calibration error.
const calibrationBins = 15

// CalibrationError returns the expected calibration error of probabilities: they are sorted, cut
// into groups of equal size, and the distance between the mean probability and the share of true
// ones is averaged over the groups. Equal probabilities keep their order, which must not depend on
// the truth.
func CalibrationError(probabilities []Decision) float64 {
	sorted := slices.SortedStableFunc(slices.Values(probabilities), func(a, b Decision) int {
		return cmp.Compare(a.Score, b.Score)
	})
	sum, n := 0.0, len(sorted)
	for bin := range calibrationBins {
		distance := 0.0
		for _, d := range sorted[bin*n/calibrationBins : (bin+1)*n/calibrationBins] {
			distance += d.Score - truth(d)
		}
		sum += math.Abs(distance)
	}
	return sum / float64(n)
}

// Brier returns the mean square of the difference between a probability and the truth, 1 or 0.
func Brier(probabilities []Decision) float64 {
	sum := 0.0
	for _, d := range probabilities {
		sum += (d.Score - truth(d)) * (d.Score - truth(d))
	}
	return sum / float64(len(probabilities))
}

// AveragePrecision returns the mean of the precision at each true example, in the order of the
// scores; equal scores count as one step.
func AveragePrecision(all []Decision) float64 {
	sum, isTrue := 0.0, 0
	eachScore(all, func(before, trueBefore, n, trueNow int) {
		isTrue = trueBefore + trueNow
		sum += float64(trueNow) * float64(isTrue) / float64(before+n)
	})
	return sum / float64(isTrue)
}

// AreaUnderROC returns the chance that a true example has a higher score than a false one, where
// equal scores count half. It is NaN without true or without false examples. A score that is NaN is the
// lowest.
func AreaUnderROC(all []Decision) float64 {
	ahead, isTrue := 0.0, 0 // pairs with the true one ahead
	eachScore(all, func(before, trueBefore, n, trueNow int) {
		isTrue = trueBefore + trueNow
		falseNow := float64(n - trueNow)
		ahead += falseNow * (float64(trueBefore) + float64(trueNow)/2)
	})
	return ahead / (float64(isTrue) * float64(len(all)-isTrue))
}

// eachScore calls visit for each distinct score, the highest first: with the number of examples
// with higher scores, that of true ones among them, and those with this score.
func eachScore(all []Decision, visit func(before, trueBefore, n, trueNow int)) {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b Decision) int {
		return cmp.Compare(b.Score, a.Score)
	})
	isTrue := 0
	for from := 0; from < len(sorted); {
		n, trueNow := 0, 0
		for ; from+n < len(sorted) && cmp.Compare(sorted[from+n].Score, sorted[from].Score) == 0; n++ {
			if sorted[from+n].IsTrue {
				trueNow++
			}
		}
		visit(from, isTrue, n, trueNow)
		isTrue += trueNow
		from += n
	}
}

// truth returns 1 or 0.
func truth(d Decision) float64 {
	if d.IsTrue {
		return 1
	}
	return 0
}
