package kge

// KeepNone makes every training one that is too large to be copied after each epoch, until
// the function that it returns is called.
func KeepNone() (restore func()) {
	before := mostKept
	mostKept = 0
	return func() { mostKept = before }
}
