//go:build !amd64

package kernel

// Sets returns the implementations that this machine can run, the fastest first.
func Sets() []*Set { return []*Set{Portable()} }

// BF16Sets returns the implementations that this machine can run, the fastest first.
func BF16Sets() []*BF16Set { return []*BF16Set{PortableBF16()} }

// AMXRefusal explains why the processor's AMX is not used, or returns "".
func AMXRefusal() string { return "" }
