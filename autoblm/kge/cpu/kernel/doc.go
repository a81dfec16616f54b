// Package kernel holds the inner loops of the native engine: a few products,
// distances, sums and counts over float32 tables that stay in cache.
//
// Each comes in Go, which defines it and runs everywhere, and on amd64 in
// assembly for AVX2 with FMA and for AVX-512, chosen when the program starts.
// The assembly is written by the program in gen; go generate runs it.
//
// Tables are row-major with a stride in floats. Columns are padded to a
// multiple of [Columns] and rows to a multiple of [Rows], so that no kernel has
// a ragged edge.
package kernel

//go:generate go run ./gen -out kernels_amd64.s -stubs kernels_amd64.go -pkg kernel
