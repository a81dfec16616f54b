package main

import "time"

// stopwatch returns a function that adds the seconds since now to a total.
func stopwatch(total *float64) func() {
	start := time.Now()
	return func() { *total += time.Since(start).Seconds() }
}
