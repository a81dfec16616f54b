package kernel

// Unit is one implementation of products of bfloat16 numbers with sums in float32.
type Unit struct {
	// Name is "amx", "avx512-bf16" or "go".
	Name string
}

// Units are those that this machine can run, the fastest first; the last is in Go, and
// slower than products in float32.
func Units() []*Unit { return []*Unit{{Name: "go"}} }
