//go:build !amd64

package kernel

// Sets are the implementations that this machine can run, the fastest first.
func Sets() []*Set { return []*Set{Portable()} }
