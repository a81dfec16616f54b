package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/internal/format"
	"gonum.org/v1/gonum/stat"
)

// Limits holds the maximum number of questions to rank in each split: 0 ranks all, [None] none. If
// there are more, a [Sample] is ranked.
type Limits struct{ Valid, Test int }

// None leaves out a split.
const None = -1

// Sample returns at most n random elements in their order; 0 returns all, [None] none. Each
// call returns the same elements, and a larger sample contains a smaller one.
func Sample[T any](all []T, n int) []T {
	if n == 0 || n >= len(all) {
		return all
	}
	chosen := samplingOrder(len(all))[:max(0, n)]
	slices.Sort(chosen)
	return Select(all, chosen)
}

// samplingOrder returns the indices below n in the order in which samples take them.
func samplingOrder(n int) []int { return rand.New(rand.NewPCG(1, 0)).Perm(n) }

// ErrorBound returns an upper bound of the standard error of a mean m of n independent numbers from
// 0 to 1. A number is the mean of two reciprocal ranks of a triple, the mean over the answers of a
// query, or the share of models that classify a node correctly. The variance of such numbers is at
// most m(1-m) (Bhatia and Davis, A better bound on the variance, 2000).
func ErrorBound(m float64, n int) float64 {
	return math.Sqrt(m * (1 - m) / float64(max(1, n)))
}

// StandardError returns the standard error of the mean of a sample, drawn without replacement from
// a number of values.
func StandardError(sample []float64, of int) float64 {
	n := float64(len(sample))
	if n < 2 {
		return 0
	}
	return stat.StdDev(sample, nil) * math.Sqrt((1/n)*(1-n/float64(of)))
}

// DescribeSample describes a sample of a number of questions and the standard error of its MRR,
// such as " (3 of 1,000, MRR ± 0.0125)". It returns "" if of is 0, which means that there is no
// sample.
func DescribeSample(n, of int, mrrError float64) string {
	if of == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s of %s, MRR ± %.4f)", format.Int(n), format.Int(of), mrrError)
}

// Select returns the elements with the given indices.
func Select[T any](all []T, indices []int) []T {
	selected := make([]T, len(indices))
	for i, index := range indices {
		selected[i] = all[index]
	}
	return selected
}
