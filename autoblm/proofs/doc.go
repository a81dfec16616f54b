// Package proofs turns statements about structures into functions that
// construct what the statements claim, and into tests that run them.
//
// Expressiveness: [Express] builds embeddings for any tensor of scores. The
// statements about degeneracy and equivalence that need no embeddings are in
// package structure.
package proofs
