// Package kernel holds the inner loops of the native engine: a few products,
// distances, sums and counts over tables that stay in cache. A [Set] works on float32
// numbers, a [Unit] multiplies bfloat16 numbers with sums in float32.
//
// Each comes in Go, which defines it and runs everywhere, and on amd64 in
// assembly for AVX2 with FMA and for AVX-512, chosen when the program starts.
// The assembly is written by the program in gen; go generate runs it.
//
// Tables are row-major with a stride in floats. Columns are padded to a
// multiple of [Columns] and rows to a multiple of [Rows], so that no kernel has
// a ragged edge.
//
// # Products of bfloat16 numbers
//
// Intel's processors since Sapphire Rapids have a matrix unit (AMX): an instruction
// multiplies a tile of 16 rows by 32 numbers with one of 32 by 16. Both factors are packed
// into such tiles beforehand ([Tiles]), each 1 kB in one piece, so that a product of any
// size is one loop over tiles, with no stride that throws lines out of the cache. Four
// tiles of sums, 32 rows by 32 columns, stay in the unit while the inner dimension is
// walked. Each step of that loads four tiles and multiplies four times; loading is what it
// waits for, and no other shape of eight tiles loads less for a product.
//
// The kernel of the operating system must permit the tiles, which it is asked for once
// ([Refused]). They are configured at the beginning of a kernel and released at its end, in
// one piece of assembly, in which Go never switches goroutines; so no signal, collection or
// switch of threads meets tiles that it does not know how to keep. AVX512-BF16 has products
// of pairs, which take the same tiles; it is for processors without a matrix unit, as AMD's
// since Zen 4.
package kernel

//go:generate go run ./gen -out kernels_amd64.s -stubs kernels_amd64.go -pkg kernel
