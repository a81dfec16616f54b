package kge

import "context"

// EpochSeconds measures the seconds of an epoch of a job on a few steps with another dimension. It
// overestimates an epoch with sparse gradients, because those of the first epoch are dense.
func EpochSeconds(ctx context.Context, engine Engine, job Job, dim int) (float64, error) {
	const measuredSteps = 24
	s := &job.Settings
	s.Dim, s.Epochs, s.MaxSteps, s.Cooldown = dim, 1, measuredSteps, 0
	s.ValidateEvery, s.Patience, s.PlateauPatience, s.PlateauFactor = 0, 0, 0, 0
	job.Checkpoint, job.Deadline, job.OnEpoch, job.OnStep = nil, nil, nil, nil
	report, err := Train(ctx, engine, job)
	if err != nil {
		return 0, err
	}
	steps := float64(job.Data.Count) / float64(s.Batch)
	return report.Timing.PerStep * float64(len(job.Members)) * steps, nil
}
