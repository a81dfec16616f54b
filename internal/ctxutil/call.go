// Package ctxutil lets a program hear that it is to end while it computes what cannot be
// asked to stop.
package ctxutil

import "context"

// Call is what work returns or, as soon as ctx ends, its error. Work is then left to itself:
// it is to change nothing that others see. Where ctx has ended before, work is done: that is
// for those to hear who know what is to be kept.
func Call[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	if ctx.Err() != nil {
		return work()
	}
	done := make(chan result, 1)
	go func() {
		value, err := work()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
