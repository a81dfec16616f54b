package tiles

import (
	"sync"
	"sync/atomic"
)

// Parallel calls task(worker, i) for each i below n on at most the given number of threads.
// Calls with the same worker do not overlap, so data per worker needs no lock.
func Parallel(threads, n int, task func(worker, i int)) {
	threads = min(threads, n)
	if threads <= 1 {
		for i := range n {
			task(0, i)
		}
		return
	}
	var next atomic.Int64
	work := func(worker int) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			task(worker, i)
		}
	}
	var others sync.WaitGroup
	for worker := 1; worker < threads; worker++ {
		others.Go(func() { work(worker) })
	}
	work(0)
	others.Wait()
}
