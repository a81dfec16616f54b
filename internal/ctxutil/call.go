// Package ctxutil makes work cancelable that does not observe a context.
package ctxutil

import "context"

// Call returns the result of work or, once ctx ends, its error. Then work continues in the
// background, so it must not change shared state. If ctx has ended before, Call waits for work: its
// caller decides what to do after an interrupt.
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
