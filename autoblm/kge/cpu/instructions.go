package cpu

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// Instructions are what the engine has of the processor.
type Instructions struct {
	// Vectors are those of products in float32: "avx512", "avx2", or "go" for none.
	Vectors string `json:"vectors"`
	// Bfloat16 are those of products in bfloat16: "amx" or "avx512-bf16", or "" for none.
	Bfloat16 string `json:"bfloat16"`
	// Pays is whether these are faster than those in float32.
	Pays bool `json:"bfloat16_pays"`
	// Refused is why the processor's matrix unit is not used, or "".
	Refused string `json:"refused"`
}

// Uses are the instructions that are used here.
func Uses() Instructions {
	unit := kernel.BF16Sets()[0]
	i := Instructions{Vectors: kernel.Sets()[0].Name, Bfloat16: unit.Name, Pays: unit.Faster, Refused: kernel.AMXRefusal()}
	if i.Bfloat16 == kernel.PortableBF16().Name { // slower than products in float32
		i.Bfloat16 = ""
	}
	return i
}

// portable is the name of what needs no instructions.
const portable = "go"

// String tells them in a line, as "avx512, amx (bfloat16 products)".
func (i Instructions) String() string {
	switch {
	case i.Bfloat16 != "" && !i.Pays:
		return i.Vectors + ", " + i.Bfloat16 + " (bfloat16 products, slower than float32's)"
	case i.Bfloat16 != "":
		return i.Vectors + ", " + i.Bfloat16 + " (bfloat16 products)"
	case i.Vectors == portable:
		return "no vector instructions that are known here"
	}
	return i.Vectors + ", no bfloat16 products"
}
