package kge

import (
	"context"
	"time"
)

const (
	// MinDim is the smallest dimension that a time limit leads to, apart from rounding to one that the
	// model can have. The pace is measured at this dimension and at twice of it.
	MinDim = 64
	// minSeconds is the shortest time for training of which a part is used to measure the pace.
	minSeconds = 5
	// measureShare of the time of a training limits each measurement of the pace.
	measureShare = 0.05
	// slack is the factor by which an epoch of a large dimension may take longer than those of small
	// ones tell.
	slack = 1.5
	// lateShare of the time that is left is a reserve for epochs that take longer than those before.
	lateShare = 0.02
)

// Fit selects the settings of a training that follow its time, if it has a few seconds.
type Fit struct {
	Dim bool
	// Epochs has an effect only on a training with a cooldown, which ends at the last epoch.
	Epochs bool
}

// FitTime returns the settings of a job for a training of some seconds. It halves the dimension, to
// one that the model can have, until enough epochs fit, and then lowers the number of epochs.
// It measures the pace of a few steps, unless even a slow machine has enough time: the dimension
// follows the pace of small ones, and is halved again if its own pace is much slower; the number of
// epochs follows the pace of the chosen dimension.
func FitTime(
	ctx context.Context, engine Engine, job Job, seconds float64, fit Fit,
) (Settings, error) {
	s := job.Settings
	fit.Dim = fit.Dim && s.Dim >= 2*MinDim
	fit.Epochs = fit.Epochs && s.Cooldown > 0
	if seconds < minSeconds || !fit.Dim && !fit.Epochs || isShort(job, seconds, fit) {
		return s, nil
	}
	limit := measureShare * seconds
	step := job.Members[0].dimStep()
	epoch, err := pace(ctx, engine, job, step, limit)
	if err != nil {
		return s, err
	}
	if fit.Dim {
		s.Dim = fitDim(s.Dim, step, seconds/float64(enough(s)), epoch)
	}
	each := epoch(s.Dim)
	for s.Dim > 2*MinDim { // its pace follows only roughly from that of small ones
		if each, err = epochSeconds(ctx, engine, job, s.Dim, limit); err != nil {
			return s, err
		}
		if !fit.Dim || each <= slack*seconds/float64(enough(s)) || s.Dim < 2*step {
			break
		}
		s.Dim = half(s.Dim, step)
	}
	if fit.Epochs {
		s.Epochs = max(1, int(min(float64(s.Epochs), seconds/each)))
	}
	return s, nil
}

// pace measures the seconds of an epoch of a job, and returns them as a function of the dimension.
// Steps are linear in the dimension, and small ones are quick to measure. All dimensions are multiples
// of step.
func pace(
	ctx context.Context, engine Engine, job Job, step int, limit float64,
) (func(dim int) float64, error) {
	small := max(step, MinDim/step*step)
	if dim := job.Settings.Dim; dim < 2*max(small, MinDim) {
		seconds, err := epochSeconds(ctx, engine, job, dim, limit)
		return func(int) float64 { return seconds }, err
	}
	began := time.Now()
	low, err := epochSeconds(ctx, engine, job, small, limit)
	if err != nil {
		return nil, err
	}
	if time.Since(began).Seconds() >= limit { // a larger dimension takes too long to measure
		return func(dim int) float64 { return low * float64(dim) / float64(small) }, nil
	}
	high, err := epochSeconds(ctx, engine, job, 2*small, limit)
	perDim := max(0, high-low) / float64(small)
	return func(dim int) float64 { return low + perDim*float64(dim-small) }, err
}

// enough returns the number of epochs that are worth more than a larger dimension. A falling rate
// needs fewer, and fewer candidates need more.
func enough(s Settings) int {
	switch {
	case s.SampledSoftmax > 0:
		return 20
	case s.Cooldown > 0:
		return 9
	}
	return 15
}

// fitDim returns the dimension, a multiple of step, with which an epoch takes at most some seconds.
// epoch returns the seconds of an epoch with a dimension.
func fitDim(dim, step int, seconds float64, epoch func(dim int) float64) int {
	for dim >= 2*max(MinDim, step) && epoch(dim) > seconds {
		dim = half(dim, step)
	}
	return dim
}

// half returns half a dimension, rounded down to a multiple of step.
func half(dim, step int) int { return dim / 2 / step * step }

// isShort reports whether the epochs of a job fit into some seconds even on a slow machine. Scores
// and two gradients are products of two operations, for both directions of a triple.
func isShort(job Job, seconds float64, fit Fit) bool {
	const slow = 2e9 // operations per second
	s := job.Settings
	epochs := enough(s)
	if fit.Epochs {
		epochs = max(epochs, s.Epochs)
	}
	candidates := s.Candidates(len(job.Data.Entities))
	epoch := 12 * float64(s.Dim) * float64(candidates) * float64(job.Data.Count)
	return float64(epochs)*epoch*float64(len(job.Members)) <= slow*seconds
}

// epochSeconds measures the seconds of an epoch of a job with another dimension, on a few steps of
// the second epoch: the gradients of the first one are never sparse. The measurement ends after
// limit seconds, as on a busy machine, with the pace of the steps so far.
func epochSeconds(
	ctx context.Context, engine Engine, job Job, dim int, limit float64,
) (float64, error) {
	const measuredSteps = 24
	s := &job.Settings
	steps := float64(job.Data.Count) / float64(s.Batch)
	if s.Loss == BCE { // a batch is a number of queries, not of triples
		steps = float64(job.Data.Batches(*s, 1).Count)
	}
	if s.MaxSteps > 0 {
		steps = min(steps, float64(s.MaxSteps))
	}
	s.Dim, s.Epochs, s.MaxSteps, s.Cooldown = dim, 2, measuredSteps, 0
	s.SkipValidation()
	began := time.Now()
	saving := savingSeconds(stateBytes(job.Data, *s, job.Members)) // which a deadline reserves
	job.Checkpoint, job.Deadline = nil, &Deadline{Began: began, End: began.Add(seconds(limit + saving))}
	job.OnEpoch, job.OnRow, job.OnStep = nil, nil, nil
	report, err := Train(ctx, engine, job)
	if err != nil {
		return 0, err
	}
	if stop := report.StoppedEarly; stop != nil {
		if taken := stop.Epoch*measuredSteps + stop.Step; taken > 0 {
			return time.Since(began).Seconds() / float64(taken) * steps, nil
		}
		// The time was too short for one step, such as while a backend compiles.
		s.Epochs, s.MaxSteps, job.Deadline = 1, 1, nil
		if report, err = Train(ctx, engine, job); err != nil {
			return 0, err
		}
	}
	return report.Timing.PerStep * float64(len(job.Members)) * steps, nil
}

// fitEpochs changes the number of epochs to that which fits before the deadline, if it may. It does
// so after each epoch until the learning rate falls, because early epochs are slower than later
// ones. A training that began with this number has the same epochs so far.
func (t *trainer) fitEpochs() error {
	s, done, d := t.job.Settings, t.epochs, t.job.Deadline
	if d == nil || d.Epochs == 0 || s.Cooldown == 0 || t.wasInterrupted || done >= s.Epochs ||
		s.cooldownAt(done) < 1 || s.In(done) != s {
		return nil
	}
	left := (1 - lateShare) * time.Until(t.budget.trainingEnd()).Seconds()
	for s.Epochs = done; s.Epochs < d.Epochs; s.Epochs++ {
		if t.secondsUntil(s.Epochs+1) > left {
			break
		}
	}
	for s.Epochs < d.Epochs && (s.Epochs == done || s.cooldownAt(done) < 1) {
		s.Epochs++
	}
	t.setEpochs(s.Epochs)
	return t.saver.identify(t.job)
}

// setEpochs sets the number of epochs of the training.
func (t *trainer) setEpochs(n int) {
	t.job.Settings.Epochs, t.settings.Epochs, t.batches.settings.Epochs = n, n, n
}

// secondsUntil predicts the seconds until the end of an epoch, from the later half of the epochs.
func (t *trainer) secondsUntil(epoch int) float64 {
	ends, first := t.timing.Epochs, t.epochs/2
	train := ends[t.epochs-1]
	if first > 0 {
		train -= ends[first-1]
	}
	seconds := float64(epoch-t.epochs) * train / float64(t.epochs-first)
	switch every := t.job.Settings.ValidateEvery; {
	case every > 0 && !t.hasValidated():
		// The measurement before the training tells little on large graphs, but a sample keeps the
		// validations within their share of the time.
		seconds *= 1 + validationShare
	case every > 0:
		validations := (epoch+every-1)/every - t.epochs/every // with one after the last epoch
		seconds += float64(validations) * t.budget.validationSeconds(t.job.ValidateBy)
	}
	return seconds
}
