package kge

import "time"

// CopyWithin makes copies that take less time than this after each epoch, until the function
// that it returns is called.
func CopyWithin(limit time.Duration) (restore func()) {
	before := cheapCopy
	cheapCopy = limit
	return func() { cheapCopy = before }
}

// KeepNone makes every training one that is too large to be copied after each epoch, until
// the function that it returns is called.
func KeepNone() (restore func()) {
	before := maxCopied
	maxCopied = 0
	return func() { maxCopied = before }
}
