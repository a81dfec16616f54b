// Package tiles holds the parts of a training step of the native engine that work on tables
// of embeddings, one tile of rows at a time: the softmax of queries over all rows and its
// gradient, row gradients, optimizer steps and dropout. Scores are products, in float32 or
// bfloat16, or distances. The package does not know what the queries are made of.
//
// A unit is a block of queries of a batch that one thread processes at a time.
//
// Neither tiles nor units depend on the number of threads, and every sum runs in a fixed
// order, so results are identical to the bit for any number of threads.
package tiles
