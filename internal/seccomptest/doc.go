// Package seccomptest starts processes which the kernel refuses the processor's matrix unit, as
// old kernels and sandboxes do, for tests.
package seccomptest
