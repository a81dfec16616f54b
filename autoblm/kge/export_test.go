package kge

import "time"

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
