package kge

import (
	"context"
	"time"

	"github.com/autoblm/autoblm-go/internal/deadline"
)

const (
	// rankingShare limits the share of the time for the ranking after training, and
	// validationShare that for all validations, where a sample can replace them.
	rankingShare, validationShare = 0.15, 0.1
	// minSample is the smallest sample of questions that can tell epochs apart.
	minSample = 200
	// diskSpeed is a low estimate of the speed of a disk, in bytes per second.
	diskSpeed = 100 << 20
)

// budget divides the time until a deadline between training, validation, ranking and saving. A
// nil budget has no limit.
type budget struct {
	Deadline
	heldOut  int     // questions to validate on
	question float64 // seconds for all members to rank one question; 0 if unknown
	saving   float64 // seconds
}

// newBudget measures validation on a few questions before the training. Without a deadline it
// returns nil.
func newBudget(ctx context.Context, r *run) (*budget, error) {
	if r.job.Deadline == nil {
		return nil, nil
	}
	b := &budget{
		Deadline: *r.job.Deadline, heldOut: r.job.Data.HeldOut, saving: 2 * r.bytes / diskSpeed,
	}
	if b.heldOut == 0 || b.Ranked == 0 && r.job.Settings.ValidateEvery == 0 {
		return b, nil
	}
	defer r.timing.MeasureEvaluation(r.engine)()
	const maxShare = 0.02 // of the time, for measuring
	// The last round counts. The earlier ones include one-time work, such as compilation.
	for _, n := range []int{16, 32, 512} {
		if n = min(n, b.heldOut); b.question*float64(n) > maxShare*b.total() {
			break
		}
		began := time.Now()
		if _, err := r.job.Data.Validate(ctx, r.population, n); err != nil {
			return nil, err
		}
		b.question = time.Since(began).Seconds() / float64(n)
	}
	return b, nil
}

// validation predicts the seconds of a validation on n questions; 0 means all.
func (b *budget) validation(n int) float64 {
	if n == 0 {
		n = b.heldOut
	}
	return b.question * float64(n)
}

// total returns the whole time, in seconds.
func (b *budget) total() float64 { return b.End.Sub(b.Began).Seconds() }

// trainingEnd returns the time at which training must end, with its validations.
func (b *budget) trainingEnd() time.Time {
	ranking := b.total() * rankingShare
	all := b.question * float64(b.Ranked)
	if b.Ranked == 0 || b.question > 0 && all < ranking {
		ranking = all
	}
	return b.End.Add(-seconds(b.saving + ranking))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// forSteps returns a context for training steps. Once members have been validated, it leaves
// time for another validation on n questions.
func (b *budget) forSteps(
	ctx context.Context, validated bool, n int,
) (context.Context, context.CancelFunc) {
	if b == nil {
		return ctx, func() {}
	}
	end := b.trainingEnd()
	if validated {
		end = end.Add(-seconds(b.validation(n)))
	}
	return deadline.With(ctx, end)
}

// forValidation returns a context for a validation during training.
func (b *budget) forValidation(ctx context.Context) (context.Context, context.CancelFunc) {
	if b == nil {
		return ctx, func() {}
	}
	return deadline.With(ctx, b.trainingEnd())
}

// forLastValidation returns a context for the validation that chooses the model. It may use the
// time for ranking.
func (b *budget) forLastValidation(ctx context.Context) (context.Context, context.CancelFunc) {
	return deadline.With(ctx, b.End.Add(-seconds(b.saving)))
}

// sampleSize returns the number of questions to validate on, with the given seconds of training
// between two validations; 0 means all.
func (b *budget) sampleSize(interval float64) int {
	seconds := validationShare * min(interval, b.total())
	if b.question == 0 || b.validation(0) <= seconds {
		return 0
	}
	n := max(minSample, int(seconds/b.question))
	if n >= b.heldOut {
		return 0
	}
	return n
}
