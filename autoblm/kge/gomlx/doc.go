// Package gomlx is the engine on GoMLX. It trains and ranks with its graphs, on GoMLX's
// pure-Go backend or, in builds with cgo, on XLA.
//
// Models with structures, blocks or cores that learn triples by a softmax over all entities have
// graphs with explicit gradients, which the rest of this page describes. Package autodiff trains all
// others, on one device.
//
// A structure enters the graph as data, as its sign tensor. One compiled program serves every
// structure, seed and learning rate of one shape. All members of a population run in it
// together, along a leading axis S.
//
// The engine interleaves the chunks of an embedding: position n of chunk i is stored at
// n*K+i. A product over chunks is then a matrix product of [positions, K·K] with the sign
// tensor [K·K, K], without a transpose. Scores and penalties do not depend on the order.
// Embeddings that leave the engine are in the order of [kge.Parameters].
//
// A step of models with cores first makes the matrices of all relations, which a batch looks up
// like dense blocks. A ranking makes them once for all batches.
//
// On several devices, members that fit one device are spread over them. The entities of larger
// members are sharded: each device has equally many rows of the table, of the optimizer's slots and
// of the scores. XLA partitions the program and adds the sums and maxima over devices.
//
// On the pure-Go backend and on XLA for CPUs, embeddings are reproducible to the bit. Losses
// are reproducible up to rounding, because they are summed per call, and the number of steps
// of a call depends on their duration. On a GPU embeddings too are reproducible only up to
// rounding, because scattered gradients are summed in no fixed order.
package gomlx
