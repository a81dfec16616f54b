package kge

import (
	"slices"
	"time"
)

// Report holds the results of training a population.
type Report struct {
	Results []Result // by member
	// Timing includes the time of all processes that trained with the same checkpoint.
	Timing Timing
	// Resumed is the number of epochs taken from a checkpoint.
	Resumed int
	// Precision is the resolved precision.
	Precision Precision
	// Epochs is the number of epochs of the settings, which may follow a [Deadline].
	Epochs int
	// Complete is true if training was neither interrupted nor stopped by a [Deadline] or a
	// [Checkpoint].
	Complete bool
	// Saved is the number of complete epochs in the checkpoint, from which an interrupted training
	// resumes. It is 0 without a checkpoint, or if that is of the first epoch.
	Saved int
	// StoppedEarly says where the deadline stopped the training; nil if it did not.
	StoppedEarly *EarlyStop
	// ValidatedBy is the number of questions in a validation; 0 means all.
	ValidatedBy int
}

// EarlyStop says where a [Deadline] stopped a training.
type EarlyStop struct {
	// Epoch is the last complete epoch, of Epochs. Step is the number of steps taken in the next
	// epoch, of Steps.
	Epoch  int `json:"epoch"`
	Epochs int `json:"epochs"`
	Step   int `json:"step"`
	Steps  int `json:"steps"`
}

// Result is the result of one member.
type Result struct {
	Member Member
	// Model has the embeddings of the best epoch. It is nil if the member diverged, or if a training
	// with tables in files and a checkpoint was interrupted.
	Model *Model
	// Loss is the mean loss per example, with penalties, of each epoch before the member
	// stopped. All are finite. Of an epoch that was interrupted, it is the mean of the steps after
	// the training resumed.
	Loss []float64
	// Validations is the learning curve. It is empty unless the settings validate.
	Validations []Validation
	// BestEpoch, from 1, is the epoch of Model; 0 if the member diverged.
	BestEpoch int
	// Err wraps [ErrDiverged] if the member diverged.
	Err error
}

// Validation is a validation score after an epoch: the filtered MRR for triples and paths.
type Validation struct {
	Epoch int     `json:"epoch"`
	MRR   float64 `json:"mrr"`
	// Error is the standard error of the MRR of a sample of triples or queries.
	Error float64 `json:"mrr_error,omitempty"`
}

// Timing splits the time of a training, in seconds.
type Timing struct {
	Compile  float64 `json:"compile"`
	Train    float64 `json:"train"`
	Evaluate float64 `json:"evaluate"`
	// PerStep is the median duration of a step divided by the number of members. It excludes
	// the first epoch, or the first step if there is one epoch.
	PerStep float64 `json:"per_step"`
	// Epochs has the value of Train at the end of each epoch.
	Epochs []float64 `json:"epochs,omitempty"`
}

// MeasureEvaluation returns a function that adds the time since the call to Evaluate. Time that
// the engine spent compiling goes to Compile instead.
func (t *Timing) MeasureEvaluation(engine Engine) (stop func()) {
	start, before := time.Now(), compileSeconds(engine)
	return func() {
		compiling := compileSeconds(engine) - before
		t.Compile += compiling
		t.Evaluate += time.Since(start).Seconds() - compiling
	}
}

// medianStep returns the median of the durations of the steps of epochs, without those that
// warm up: the first epoch, or the first step if there is one epoch.
func medianStep(epochs [][]float64) float64 {
	switch {
	case len(epochs) > 1:
		epochs = epochs[1:]
	case len(epochs[0]) > 1:
		epochs = [][]float64{epochs[0][1:]}
	}
	x := slices.Sorted(slices.Values(slices.Concat(epochs...)))
	if len(x) == 0 {
		return 0
	}
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
