// Package seccomptest starts processes for tests that may not use the processor's matrix unit, as
// on old kernels and in sandboxes.
package seccomptest
