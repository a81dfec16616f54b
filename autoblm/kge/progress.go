package kge

// Progress describes how far a population is.
type Progress struct {
	// Epoch is the current epoch, or the one that has just ended.
	Epoch, Epochs int
	// Step is the number of steps done, of the Steps of the epoch.
	Step, Steps int
	// Validating is set while the epoch is validated.
	Validating bool
	// Loss has each member's mean loss per example, once the epoch has ended.
	Loss []float64
	// Best is the best validation of the first member; nil before its first validation.
	Best *Validation
	// ValidatedBy is the number of questions in a validation, of HeldOut; both are 0 if it has all.
	ValidatedBy, HeldOut int
}

// Row has the results of an epoch of the first member.
type Row struct {
	// Epoch counts from 1. Step is the number of steps so far.
	Epoch, Step int
	// Seconds is the time of training and validation so far, of all processes.
	Seconds            float64
	Loss, LearningRate float64
	// Validation is the one after the epoch; nil if there was none.
	Validation *Validation
}

// reportRow passes an epoch to OnRow, unless the first member stopped earlier.
func (r *run) reportRow(epoch int, learningRate float64) {
	m := &r.members[0]
	if r.job.OnRow == nil || len(m.Loss) != epoch {
		return
	}
	row := Row{
		Epoch: epoch, Step: r.steps, Seconds: r.timing.Train + r.timing.Evaluate,
		Loss: m.Loss[epoch-1], LearningRate: learningRate,
	}
	if n := len(m.Validations); n > 0 && m.Validations[n-1].Epoch == epoch {
		row.Validation = &m.Validations[n-1]
	}
	r.job.OnRow(row)
}

// Share returns the share of the training that is done, without validations.
func (p Progress) Share() float64 {
	epochs := float64(p.Epoch-1) + float64(p.Step)/float64(max(1, p.Steps))
	return epochs / float64(p.Epochs)
}
