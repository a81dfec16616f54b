package kge

import "context"

const (
	// enoughEpochs is the number of epochs that are worth more than a larger dimension.
	enoughEpochs = 15
	// minDim is the smallest dimension that a time limit leads to, apart from rounding to chunks.
	// The pace is measured at this dimension and at twice of it.
	minDim = 64
	// minSeconds is the shortest time for training of which a part is used to measure the pace.
	minSeconds = 5
)

// FitDim returns the dimension of a job, halved until enough epochs fit into some seconds. It is a
// multiple of the number of chunks. FitDim measures the pace of a few steps, unless even a slow
// machine has enough time.
func FitDim(ctx context.Context, engine Engine, job Job, seconds float64) (int, error) {
	dim := job.Settings.Dim
	if dim < 2*minDim || seconds < minSeconds || isShort(job, seconds) {
		return dim, nil
	}
	// Steps are linear in the dimension, and small ones are quick to measure.
	var measured [2]float64
	for i := range measured {
		var err error
		if measured[i], err = epochSeconds(ctx, engine, job, minDim<<i); err != nil {
			return dim, err
		}
	}
	return fitDim(dim, job.Members[0].chunks(), seconds, func(dim int) float64 {
		perDim := max(0, measured[1]-measured[0]) / minDim
		return measured[0] + perDim*float64(dim-minDim)
	}), nil
}

// fitDim halves a dimension, down to a multiple of the number of chunks, until enough epochs fit
// into some seconds. epoch returns the seconds of an epoch with a dimension.
func fitDim(dim, chunks int, seconds float64, epoch func(dim int) float64) int {
	for dim >= 2*minDim && enoughEpochs*epoch(dim) > seconds {
		dim = dim / 2 / chunks * chunks
	}
	return dim
}

// isShort reports whether enough epochs of a job fit into some seconds even on a slow machine.
// Scores and two gradients are products of two operations, for both directions of a triple.
func isShort(job Job, seconds float64) bool {
	const slow = 2e9 // operations per second
	candidates := job.Settings.Candidates(len(job.Data.Entities))
	epoch := 12 * float64(job.Settings.Dim) * float64(candidates) * float64(job.Data.Count)
	return enoughEpochs*epoch*float64(len(job.Members)) <= slow*seconds
}

// epochSeconds measures the seconds of an epoch of a job with another dimension, on a few steps of
// the second epoch: the gradients of the first one are never sparse.
func epochSeconds(ctx context.Context, engine Engine, job Job, dim int) (float64, error) {
	const measuredSteps = 24
	s := &job.Settings
	s.Dim, s.Epochs, s.MaxSteps, s.Cooldown = dim, 2, measuredSteps, 0
	s.ValidateEvery, s.Patience, s.PlateauPatience, s.PlateauFactor = 0, 0, 0, 0
	job.Checkpoint, job.Deadline = nil, nil
	job.OnEpoch, job.OnRow, job.OnStep = nil, nil, nil
	report, err := Train(ctx, engine, job)
	if err != nil {
		return 0, err
	}
	steps := float64(job.Data.Count) / float64(s.Batch)
	return report.Timing.PerStep * float64(len(job.Members)) * steps, nil
}
