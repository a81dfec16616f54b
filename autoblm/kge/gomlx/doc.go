// Package gomlx is the reference engine: training and ranking as GoMLX graphs,
// on GoMLX's pure-Go backend everywhere, and on XLA where cgo is there.
//
// A structure enters the graph as its sign tensor, so it is data: one compiled
// program serves every structure, seed and learning rate of one shape. All
// members of a population run in it side by side, on a leading axis S.
//
// Inside the engine the chunks of an embedding are interleaved: position n of
// chunk i stands at n*K+i. A product over chunks is then a plain matrix product
// of [positions, K·K] with the sign tensor [K·K, K], with nothing to transpose.
// Scores and penalties do not depend on the order, and what leaves the engine
// is back in the order of [kge.Parameters].
//
// The pure-Go backend and XLA on the CPU give embeddings with the same bits each time; losses are
// added up call by call, and how many steps a call takes depends on their time, so
// these agree within rounding. On a GPU the sums of scattered gradients have no fixed
// order, so there embeddings do too.
package gomlx
