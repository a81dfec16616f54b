package kernel

import (
	"fmt"
	"sync"

	"github.com/klauspost/cpuid/v2"
	"golang.org/x/sys/cpu"
)

// BF16Sets returns the implementations that this machine can run, the fastest first. The
// last is the portable one, which is slower than float32 products.
func BF16Sets() []*BF16Set {
	var sets []*BF16Set
	x86 := &cpu.X86
	if x86.HasAVX512F && x86.HasAVX512BW && x86.HasAVX512BF16 && x86.HasBMI1 {
		kernels := rawBF16{
			multiply:   multiplyVDPBF16,
			interleave: interleaveAVX512,
			transpose:  transposeAVX512,
			roundRows:  roundRowsAVX512,
			expRound:   expRoundAVX512,
			rawRecheck: rawRecheck{
				countNotAbove: countNotAboveAVX512,
				positions:     positionsAVX512,
				recheck:       recheckAVX512,
				squaredNorms:  squaredNormsAVX512,
			},
		}
		if x86.HasAMXTile && x86.HasAMXBF16 && amxPermission() == nil {
			amx := kernels
			amx.multiply = multiplyAMX
			sets = append(sets, &BF16Set{Name: "amx", Faster: true, raw: amx})
		}
		faster := vdpbf16IsFaster(cpuid.CPU)
		sets = append(sets, &BF16Set{Name: "avx512-bf16", Faster: faster, raw: kernels})
	}
	return append(sets, PortableBF16())
}

// vdpbf16IsFaster reports whether VDPBF16PS computes products at twice the rate of float32
// instructions. Intel's processors since Sapphire Rapids, recognizable by AVX512-FP16, leave
// that to AMX and compute at half the float32 rate. It matters where a virtual machine or
// the operating system hides AMX.
func vdpbf16IsFaster(c cpuid.CPUInfo) bool {
	return !(c.IsVendor(cpuid.Intel) && c.Supports(cpuid.AVX512FP16))
}

// AMXRefusal explains why the processor's AMX is not used, or returns "".
func AMXRefusal() string {
	if !cpu.X86.HasAMXTile || !cpu.X86.HasAMXBF16 {
		return ""
	}
	if err := amxPermission(); err != nil {
		return fmt.Sprintf("the processor has AMX, but the operating system does not let programs "+
			"use it (%v): Linux 5.16 or later does, unless a sandbox forbids it", err)
	}
	return ""
}

// amxPermission requests AMX from the operating system, once per process.
var amxPermission = sync.OnceValue(requestAMX)
