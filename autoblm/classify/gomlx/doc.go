// Package gomlx is the engine on GoMLX of classification: one graph for each network, on any
// backend of GoMLX and differentiated by it. The native engine is compared with it, and it runs on
// GPUs.
//
// Models share the leading axis S of all tensors. A structure is data: its sign tensor is an input
// of the compiled step, so structures with the same number of chunks share a compiled graph.
package gomlx
