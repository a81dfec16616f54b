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

// Share returns the share of the training that is done, without validations.
func (p Progress) Share() float64 {
	epochs := float64(p.Epoch-1) + float64(p.Step)/float64(max(1, p.Steps))
	return epochs / float64(p.Epochs)
}
