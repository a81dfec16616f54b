package classify

import (
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// Cut is where a deadline has ended the training of a member.
type Cut struct {
	// In is what was ended first, "cross-validation" or "test", after so many of its Epochs.
	In     string `json:"in"`
	Epoch  int    `json:"epoch"`
	Epochs int    `json:"epochs"`
}

// clock tells what there is time for; that of a work without a deadline is nil.
type clock struct {
	end    time.Time
	epochs int           // of models that were timed
	took   time.Duration // by them
}

func newClock(d *kge.Deadline) *clock {
	if d == nil {
		return nil
	}
	return &clock{end: d.End}
}

// timed notes how long an epoch of so many models took.
func (c *clock) timed(models int, began time.Time) {
	if c != nil {
		c.epochs, c.took = c.epochs+models, c.took+time.Since(began)
	}
}

// lacks says whether there is no time for so many epochs of models more.
func (c *clock) lacks(epochs int) bool {
	if c == nil || c.epochs == 0 {
		return false
	}
	const careful = 1.1
	need := careful * float64(c.took) / float64(c.epochs) * float64(epochs)
	return time.Now().Add(time.Duration(need)).After(c.end)
}

// part is a clock for the first of so many equal parts of what is left.
func (c *clock) part(of int) *clock {
	if c == nil {
		return nil
	}
	part := *c
	part.end = time.Now().Add(time.Until(c.end) / time.Duration(of))
	return &part
}
