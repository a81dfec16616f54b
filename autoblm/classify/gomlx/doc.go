// Package gomlx is the reference engine of classification: one graph for each network, on
// any backend of GoMLX, differentiated by it. It is what the native engine is held to, and
// it runs on GPUs.
//
// Models stand side by side on the leading axis S of all tensors. A structure is data: its
// sign tensor is an input of the compiled step, so nothing is compiled between two
// structures of one number of chunks.
package gomlx
