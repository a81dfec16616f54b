// Package cpu is the native engine of classification: loops over tables with the kernels
// of the engine of embeddings. Each model is trained on one core, and as many models at a
// time as there are threads, so the bits do not depend on how many these are.
//
// A relation's matrix multiplies all its messages at once. Sums over neighbours are
// additions of rows in an order made once for a network.
package cpu
