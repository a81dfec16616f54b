package datasets

import (
	"runtime"

	"golang.org/x/sync/errgroup"
)

// groupBy returns n items sorted by bucket, in their order within each, and the start of each
// bucket with the end of the last. item returns item i and its bucket.
func groupBy[T any](n, buckets int, item func(i int) (bucket int32, x T)) (sorted []T, starts []int) {
	starts = make([]int, buckets+1)
	for i := range n {
		bucket, _ := item(i)
		starts[bucket]++
	}
	end := 0
	for bucket, count := range starts {
		end += count
		starts[bucket] = end
	}
	sorted = make([]T, n)
	for i := n - 1; i >= 0; i-- { // each start falls from the end of its bucket
		bucket, x := item(i)
		starts[bucket]--
		sorted[starts[bucket]] = x
	}
	return sorted, starts
}

// eachBucket calls visit with each bucket of sorted items, on all cores.
func eachBucket[T any](sorted []T, starts []int, visit func(bucket []T)) {
	const together = 1 << 15 // items
	var visits errgroup.Group
	visits.SetLimit(runtime.GOMAXPROCS(0))
	last := len(starts) - 1
	for from := 0; from < last; {
		to := from + 1
		for to < last && starts[to]-starts[from] < together {
			to++
		}
		first := from
		visits.Go(func() error {
			for bucket := first; bucket < to; bucket++ {
				visit(sorted[starts[bucket]:starts[bucket+1]])
			}
			return nil
		})
		from = to
	}
	_ = visits.Wait()
}
