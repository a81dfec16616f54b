package kernel

import (
	"fmt"
	"sync"

	"github.com/klauspost/cpuid/v2"
	"golang.org/x/sys/cpu"
)

// Units are the implementations that this machine can run, the fastest first. The last is in
// Go, and slower than products in float32.
func Units() []*Unit {
	var units []*Unit
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512BF16 && cpu.X86.HasBMI1 {
		packing := rawUnit{interleave: interleaveAVX512, transpose: transposeAVX512, roundRows: roundRowsAVX512, expRound: expRoundAVX512, rawDoubts: rawDoubts{sift: siftAVX512, list: listAVX512, settle: settleAVX512, squares: squaresAVX512}}
		if cpu.X86.HasAMXTile && cpu.X86.HasAMXBF16 && permitted() == nil {
			matrix := packing
			matrix.multiply = multiplyAMX
			units = append(units, &Unit{Name: "amx", Pays: true, raw: matrix})
		}
		packing.multiply = multiplyVDPBF16
		units = append(units, &Unit{Name: "avx512-bf16", Pays: doubles(cpuid.CPU), raw: packing})
	}
	return append(units, PortableUnit())
}

// doubles is whether VDPBF16PS makes twice as many products as float32's instructions. Intel's
// processors from Sapphire Rapids on, which have AVX512-FP16, leave that to AMX and make half as
// many as float32's: it counts where a virtual machine or the kernel keeps AMX away.
func doubles(c cpuid.CPUInfo) bool {
	return !(c.IsVendor(cpuid.Intel) && c.Supports(cpuid.AVX512FP16))
}

// Refused is why a matrix unit that the processor has is not used, or "".
func Refused() string {
	if cpu.X86.HasAMXTile && cpu.X86.HasAMXBF16 {
		if err := permitted(); err != nil {
			return fmt.Sprintf("the processor has AMX, but the kernel does not let programs use it (%v): Linux 5.16 or later does, unless a sandbox forbids it", err)
		}
	}
	return ""
}

// permitted asks the kernel for the matrix unit's tiles, once for the process.
var permitted = sync.OnceValue(askForTiles)
