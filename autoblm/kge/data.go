package kge

import "context"

// Data holds the examples to train and validate on. Each task makes it from its own data.
type Data struct {
	// Name is the name of the data. Source lets the task find the data again.
	Name, Source string
	// Entities and Relations are the labels by id.
	Entities, Relations []string
	// BothDirections is true if an example is also learned backwards, as the anchor given the
	// target. Such an example has one target. The loss of a batch is then the mean over its
	// examples of the sum of both cross entropies, each among all entities.
	BothDirections bool
	// Count is the number of examples, or a lower bound.
	Count int
	// Fingerprint returns an identifier of the data.
	Fingerprint func() string
	// TaskSettings are settings that only the task has, or nil. With Fingerprint they
	// distinguish one training from another.
	TaskSettings any
	// Batches returns the batches of an epoch, from 1. Their order depends only on the
	// settings and the epoch. The settings may limit their number. The paths in a batch have
	// the same length.
	Batches func(s Settings, epoch int) [][]Example
	// HeldOut is the number of questions for validation.
	HeldOut int
	// Validate returns each model's validation score, higher is better, on at most the given
	// number of questions (an [eval.Sample]; 0: all). It is nil without validation data.
	Validate func(ctx context.Context, r Ranker, most int) ([]float64, error)

	ctxErr func() error // nil without a context
}

// withContext returns the data with a context whose end [Data.Err] reports. A context that has
// already ended is ignored: the training loop handles that and knows what can be saved.
func (d Data) withContext(ctx context.Context) *Data {
	if ctx.Err() == nil {
		d.ctxErr = ctx.Err
	}
	return &d
}

// Err returns an error if the training is cancelled, so that an engine can stop its preparation.
func (d *Data) Err() error {
	if d.ctxErr == nil {
		return nil
	}
	return d.ctxErr()
}

// isCancelled reports whether the training is cancelled. It takes the iteration of a long loop and
// checks only in every 65,536th one, to be cheap.
func (d *Data) isCancelled(iteration int) bool {
	return iteration%(1<<16) == 0 && d.Err() != nil
}
