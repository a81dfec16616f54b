package cpu

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// Instructions describes the instruction sets that the engine uses on a processor.
type Instructions struct {
	// Vectors is the instruction set of products in float32: "avx512", "avx2", or "go" for
	// none.
	Vectors string `json:"vectors"`
	// Bfloat16 is the instruction set of products in bfloat16: "amx" or "avx512-bf16", or ""
	// for none.
	Bfloat16 string `json:"bfloat16"`
	// Faster is true if products in bfloat16 are faster than in float32.
	Faster bool `json:"bfloat16_faster"`
	// Refused is the reason why the processor's AMX is not used, or "".
	Refused string `json:"refused"`
}

// DetectInstructions returns the instruction sets that the engine uses on this processor.
func DetectInstructions() Instructions {
	set := kernel.BF16Sets()[0]
	i := Instructions{
		Vectors: kernel.Sets()[0].Name, Bfloat16: set.Name, Faster: set.Faster,
		Refused: kernel.AMXRefusal(),
	}
	if i.Bfloat16 == kernel.PortableBF16().Name { // slower than products in float32
		i.Bfloat16 = ""
	}
	return i
}

// portable is the name of kernels in Go.
const portable = "go"

// String returns one line, such as "avx512, amx (bfloat16 products)".
func (i Instructions) String() string {
	switch {
	case i.Bfloat16 != "" && !i.Faster:
		return i.Vectors + ", " + i.Bfloat16 + " (bfloat16 products, slower than float32)"
	case i.Bfloat16 != "":
		return i.Vectors + ", " + i.Bfloat16 + " (bfloat16 products)"
	case i.Vectors == portable:
		return "no known vector instructions"
	}
	return i.Vectors + ", no bfloat16 products"
}
