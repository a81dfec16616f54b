//go:build !amd64

package kernel

// Sets are the implementations that this machine can run, the fastest first.
func Sets() []*Set { return []*Set{Portable()} }

// Units are the implementations that this machine can run.
func Units() []*Unit { return []*Unit{PortableUnit()} }

// Refused is why a matrix unit that the processor has is not used, or "".
func Refused() string { return "" }
