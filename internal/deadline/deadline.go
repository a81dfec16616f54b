// Package deadline ends work at a given time and predicts what fits before it.
package deadline

import (
	"context"
	"errors"
	"time"
)

// ErrExceeded is the cause of a context that its deadline has ended.
var ErrExceeded = errors.New("deadline exceeded")

// With returns a context that ends at a time, with [ErrExceeded] as its cause.
func With(ctx context.Context, end time.Time) (context.Context, context.CancelFunc) {
	return context.WithDeadlineCause(ctx, end, ErrExceeded)
}

// HasEnded reports whether err stems from the deadline of inner, a context from [With], while the
// context around it goes on.
func HasEnded(outer, inner context.Context, err error) bool {
	return outer.Err() == nil && errors.Is(err, inner.Err()) &&
		errors.Is(context.Cause(inner), ErrExceeded)
}

// safety multiplies predictions, since later units may take longer than earlier ones.
const safety = 1.1

// Clock predicts from the units of work done so far how many more fit before its end. A nil Clock
// has no end.
type Clock struct {
	end   time.Time
	units int
	took  time.Duration
}

// NewClock starts a clock that ends at a time; it returns nil for the zero time.
func NewClock(end time.Time) *Clock {
	if end.IsZero() {
		return nil
	}
	return &Clock{end: end}
}

// Add records units of work that started at a time and end now.
func (c *Clock) Add(units int, began time.Time) {
	if c != nil {
		c.units, c.took = c.units+units, c.took+time.Since(began)
	}
}

// Exceeds reports whether more units are not likely to end in time. Before the first measured
// unit it returns false.
func (c *Clock) Exceeds(units int) bool {
	if c == nil || c.units == 0 {
		return false
	}
	need := safety * float64(c.took) / float64(c.units) * float64(units)
	return time.Now().Add(time.Duration(need)).After(c.end)
}

// Part returns a clock for the first of n equal parts of the remaining time.
func (c *Clock) Part(n int) *Clock {
	if c == nil {
		return nil
	}
	part := *c
	part.end = time.Now().Add(time.Until(c.end) / time.Duration(n))
	return &part
}
