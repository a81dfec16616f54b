// Package runner executes notebooks on a kernel and says which cell failed, and
// why. It is stricter than Jupyter: a failing shell command, or a command that
// the kernel does not know, is a failure of its cell too.
package runner
