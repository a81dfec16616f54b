package kge

import (
	"context"
	"errors"
	"time"
)

// Deadline ends work in time: a training, and the ranking that follows it.
type Deadline struct {
	// Began is when the work began, and End when all of it is to be over.
	Began, End time.Time
	// Ranked is how many questions each member ranks after the training, as those that are
	// held out.
	Ranked int
}

// ErrDeadline is the cause of what a [Deadline] has ended.
var ErrDeadline = errors.New("the time is up")

// Cut is where a [Deadline] has ended a training.
type Cut struct {
	// Epoch is the last whole epoch of Epochs, and Step is how many steps of the next one were
	// taken, which has so many Steps.
	Epoch  int `json:"epoch"`
	Epochs int `json:"epochs"`
	Step   int `json:"step"`
	Steps  int `json:"steps"`
}

const (
	// rankingShare is the most of the time that the ranking after a training takes, and
	// validationShare what all validations take, where a sample would do.
	rankingShare, validationShare = 0.15, 0.1
	// bytesPerSecond is how fast a disk is at least expected to write.
	bytesPerSecond = 100 << 20
)

// clock tells how much of the time is left for what. That of a training without a deadline is
// nil, and never ends.
type clock struct {
	Deadline
	held     int     // questions to validate by
	question float64 // seconds that the members take to rank one; 0 where that is not known
	saving   float64 // seconds
}

// newClock times a validation by a few questions, before the training.
func newClock(ctx context.Context, r *run) (*clock, error) {
	if r.job.Deadline == nil {
		return nil, nil
	}
	c := &clock{Deadline: *r.job.Deadline, held: r.job.Data.Held, saving: 2 * r.bytes / bytesPerSecond}
	if c.held == 0 || c.Ranked == 0 && r.job.Settings.ValidateEvery == 0 {
		return c, nil
	}
	defer r.timing.Evaluating(r.engine)()
	const timing = 0.02                      // of the time, at most
	for _, few := range []int{16, 32, 512} { // the first ones ready what all share
		if few = min(few, c.held); c.question*float64(few) > timing*c.total() {
			break
		}
		began := time.Now()
		if _, err := r.job.Data.Validate(ctx, r.population, few); err != nil {
			return nil, err
		}
		c.question = time.Since(began).Seconds() / float64(few)
	}
	return c, nil
}

// validation is how many seconds one takes by so many questions.
func (c *clock) validation(by int) float64 {
	if by == 0 {
		by = c.held
	}
	return c.question * float64(by)
}

// total is all of the time, in seconds.
func (c *clock) total() float64 { return c.End.Sub(c.Began).Seconds() }

// trained is when the training is to be over, with its validations.
func (c *clock) trained() time.Time {
	ranking := c.total() * rankingShare
	if whole := c.question * float64(c.Ranked); c.Ranked == 0 || c.question > 0 && whole < ranking {
		ranking = whole
	}
	return c.End.Add(-seconds(c.saving + ranking))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// untilStepped ends when the last step is to be over; one validation is left then.
func (c *clock) untilStepped(ctx context.Context, validated bool, by int) (context.Context, context.CancelFunc) {
	if c == nil {
		return ctx, func() {}
	}
	end := c.trained()
	if validated {
		end = end.Add(-seconds(c.validation(by)))
	}
	return context.WithDeadlineCause(ctx, end, ErrDeadline)
}

// untilTrained ends when the last validation is to be over.
func (c *clock) untilTrained(ctx context.Context) (context.Context, context.CancelFunc) {
	if c == nil {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, c.trained(), ErrDeadline)
}

// untilSaved ends when all that is left is to save the model: what decides which one may take
// from the ranking.
func (c *clock) untilSaved(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadlineCause(ctx, c.End.Add(-seconds(c.saving)), ErrDeadline)
}

// sample is by how much to validate where one comes every so many seconds of steps: 0 for all.
func (c *clock) sample(every float64) int {
	most := validationShare * min(every, c.total())
	if c.question == 0 || c.validation(0) <= most {
		return 0
	}
	const fewest = 200 // by which epochs can be told apart at all
	by := max(fewest, int(most/c.question))
	if by >= c.held {
		return 0
	}
	return by
}

// isDeadline says whether it was the deadline that ended something, which has said so by an
// error, and not the context around it.
func isDeadline(outer, ended context.Context, err error) bool {
	return outer.Err() == nil && errors.Is(err, ended.Err()) && context.Cause(ended) == ErrDeadline
}
