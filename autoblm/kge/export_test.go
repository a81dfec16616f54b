package kge

import (
	"time"

	"github.com/autoblm/autoblm-go/internal/checkpoint"
)

// FitDim and EpochSeconds are for tests.
var (
	FitDim       = fitDim
	EpochSeconds = epochSeconds
)

// CopyWithin sets the duration up to which copies are made after each epoch, until restore is
// called.
func CopyWithin(limit time.Duration) (restore func()) {
	before := cheapCopy
	cheapCopy = limit
	return func() { cheapCopy = before }
}

// KeepNone makes every training too large to be copied after each epoch, until restore is called.
func KeepNone() (restore func()) {
	before := maxCopied
	maxCopied = 0
	return func() { maxCopied = before }
}

// SavingAfterWrite writes a checkpoint, and returns the seconds that a training with a deadline then
// keeps for its model, and those of the write. predicted are those before any write, before those
// after an earlier write.
func SavingAfterWrite(file string, predicted, before float64) (saving, took float64, err error) {
	c := &checkpointer{Checkpoint: &Checkpoint{File: file}}
	c.writer = checkpoint.NewWriter(file, 0, nil)
	err = c.writer.Write(0, nil)
	b := &budget{predicted: predicted, saving: before}
	b.saved(c)
	return b.saving, c.writer.Took().Seconds(), err
}

// MaxCoreMatrices limits the bytes that [CoreMatrices] keeps.
var MaxCoreMatrices = &maxCoreMatrices

// Bytes returns the size of the kept matrices.
func (k *CoreMatrices) Bytes() (bytes int) {
	for _, matrix := range k.kept {
		bytes += 8 * len(matrix)
	}
	return bytes
}
