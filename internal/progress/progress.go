// Package progress reports how much of a long call is done.
package progress

import (
	"sync"
	"time"
)

// Reporter reports the progress of its own long calls.
type Reporter interface {
	// OnProgress sets the function that later calls call with the share done, from 0 to 1. They
	// may call it often and from any goroutine. nil removes it.
	OnProgress(report func(share float64))
}

// Attach makes x report its progress, throttled, until detach is called. It does nothing if x is
// no [Reporter] or report is nil.
func Attach(x any, report func(share float64)) (detach func()) {
	reporter, is := x.(Reporter)
	if !is || report == nil {
		return func() {}
	}
	reporter.OnProgress(throttle(report))
	return func() { reporter.OnProgress(nil) }
}

// interval is the minimum time between two reports.
const interval = time.Second / 10

// throttle passes on at most ten calls a second, one at a time, and drops the others.
func throttle(report func(share float64)) func(share float64) {
	var mutex sync.Mutex
	last := time.Now()
	return func(share float64) {
		if !mutex.TryLock() {
			return
		}
		defer mutex.Unlock()
		if now := time.Now(); now.Sub(last) >= interval {
			last = now
			report(share)
		}
	}
}
