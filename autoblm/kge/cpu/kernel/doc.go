// Package kernel holds the inner loops of the native engine: products, distances, sums
// and counts over tables that stay in cache. A [Set] has the float32 kernels, a [BF16Set]
// multiplies bfloat16 numbers and sums in float32.
//
// Each kernel has a portable version in Go, which defines it, and on amd64 assembly for
// AVX2 with FMA and for AVX-512. The fastest set is chosen when the program starts.
// The program in gen generates the assembly; run it with go generate.
//
// Tables are row-major with a stride in floats. Columns are padded to a multiple of
// [Columns] and rows to a multiple of [Rows], so that no kernel has a remainder loop.
//
// # Products of bfloat16 numbers
//
// Intel's processors since Sapphire Rapids have a matrix unit (AMX). One instruction
// multiplies a tile of 16 rows by 32 numbers with a tile of 32 by 16. Both factors are
// packed into such tiles first ([Tiles]), each in 1 kB of contiguous memory. A product of
// any size is then one loop over tiles, and no stride evicts cache lines. Four tiles of
// sums, 32 rows by 32 columns, stay in the unit along the inner dimension. Each step loads
// four tiles and does four multiplications. Loading is the bottleneck, and no other
// shape with eight tiles loads less per product.
//
// The operating system must permit the use of AMX; the package asks once ([AMXRefusal]).
// A kernel configures the tiles at its start and releases them at its end. Go never
// switches goroutines inside assembly, so no signal, garbage collection or thread switch
// has to preserve tiles. AVX512-BF16 multiplies pairs and reads the same tiles; it serves
// processors without a matrix unit, such as AMD's since Zen 4.
package kernel

//go:generate go run ./gen -out kernels_amd64.s -stubs kernels_amd64.go -pkg kernel
