// Package proofs turns statements about structures into functions that
// construct what the statements claim, and into tests that run them, over all
// small structures and over random larger ones.
//
//   - Expressiveness: [Express] builds embeddings for any tensor of scores, or
//     shows one that cannot be had; [ExpressByWitnesses] is the paper's
//     Proposition 1.
//   - Degeneracy: [Response] finds a triple in which an embedding counts, and
//     [Rejections] shows that the paper's Proposition 2 drops all that is degenerate.
//   - Equivalence: [Transport] turns a model of one structure into one of an
//     equivalent structure with the same scores.
//
// What can be told of a structure alone is in package structure.
package proofs
