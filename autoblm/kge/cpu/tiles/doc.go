// Package tiles holds what a training step of the native engine does with tables
// of embeddings, a tile of rows at a time: the softmax of queries over all rows
// by products, in float32 or bfloat16, or distances, and its gradient, gradients gathered by the rows that they
// are of, optimizer steps, dropout. Which queries are asked, and how their gradient
// goes back to what they were made of, is for others to know.
//
// Tiles do not depend on the number of threads and every sum runs in a fixed
// order, so results are the same to the bit whatever the threads.
package tiles
