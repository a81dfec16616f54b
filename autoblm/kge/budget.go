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
	heldOut     int     // questions to validate on
	perQuestion float64 // seconds for all members to rank one question; 0 if unknown
	predicted   float64 // seconds to save the members, before a checkpoint is written
	saving      float64 // the same, after the last one
}

// newBudget measures validation on a few questions before the training. Without a deadline it
// returns nil.
func newBudget(ctx context.Context, r *run) (*budget, error) {
	if r.job.Deadline == nil {
		return nil, nil
	}
	predicted := savingSeconds(r.bytes)
	b := &budget{
		Deadline: *r.job.Deadline, heldOut: r.job.Data.HeldOut, predicted: predicted, saving: predicted,
	}
	if b.heldOut == 0 || b.Ranked == 0 && r.job.Settings.ValidateEvery == 0 {
		return b, nil
	}
	defer r.timing.MeasureEvaluation(r.engine)()
	const maxShare = 0.02 // of the time, for measuring
	// The last round counts. The earlier ones include one-time work, such as compilation.
	for _, n := range []int{16, 32, 512} {
		if n = min(n, b.heldOut); b.perQuestion*float64(n) > maxShare*b.totalSeconds() {
			break
		}
		began := time.Now()
		if _, err := r.job.Data.Validate(ctx, r.population, n); err != nil {
			return nil, err
		}
		b.perQuestion = time.Since(began).Seconds() / float64(n)
	}
	return b, nil
}

// savingSeconds predicts the seconds to save a population of some bytes.
func savingSeconds(bytes float64) float64 { return 2 * bytes / diskSpeed }

// saved notes the duration of the last write of a checkpoint, which is at least as large as a model,
// if it is longer than predicted.
func (b *budget) saved(by *checkpointer) {
	if b != nil && by.Checkpoint != nil {
		b.saving = max(b.predicted, by.writer.Took().Seconds())
	}
}

// validationSeconds predicts the seconds of a validation on n questions; 0 means all.
func (b *budget) validationSeconds(n int) float64 {
	if n == 0 {
		n = b.heldOut
	}
	return b.perQuestion * float64(n)
}

// validated notes the duration of a validation on n questions, which began at some time. It is more
// exact than the measurement before the training.
func (b *budget) validated(began time.Time, n int) {
	if b == nil {
		return
	}
	if n == 0 {
		n = b.heldOut
	}
	b.perQuestion = time.Since(began).Seconds() / float64(max(1, n))
}

// totalSeconds returns the time from start to deadline.
func (b *budget) totalSeconds() float64 { return b.End.Sub(b.Began).Seconds() }

// trainingEnd returns the time at which training must end, with its validations.
func (b *budget) trainingEnd() time.Time {
	ranking := b.totalSeconds() * rankingShare
	all := b.perQuestion * float64(b.Ranked)
	if b.Ranked == 0 || b.perQuestion > 0 && all < ranking {
		ranking = all
	}
	return b.End.Add(-seconds(b.saving + ranking))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// forSteps returns a context for training steps, or for a validation between them. Once members
// have been validated, it leaves time for another validation on n questions.
func (b *budget) forSteps(
	ctx context.Context, validated bool, n int,
) (context.Context, context.CancelFunc) {
	if b == nil {
		return ctx, func() {}
	}
	end := b.trainingEnd()
	if validated {
		end = end.Add(-seconds(b.validationSeconds(n)))
	}
	return deadline.With(ctx, end)
}

// forLastValidation returns a context for the validation that chooses the model. It may use the
// time for ranking.
func (b *budget) forLastValidation(ctx context.Context) (context.Context, context.CancelFunc) {
	return deadline.With(ctx, b.End.Add(-seconds(b.saving)))
}

// sampleSize returns the number of questions to validate on; 0 means all. interval is the time of
// training between two validations, in seconds.
func (b *budget) sampleSize(interval float64) int {
	limit := validationShare * min(interval, b.totalSeconds())
	if b.perQuestion == 0 || b.validationSeconds(0) <= limit {
		return 0
	}
	n := max(minSample, int(limit/b.perQuestion))
	if n >= b.heldOut {
		return 0
	}
	return n
}
