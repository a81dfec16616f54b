// Package proofs turns statements about structures into functions that
// construct what the statements claim, and into tests that run them, over all
// small structures and over random larger ones.
//
//   - Expressiveness: [Express] builds embeddings for any tensor of scores, or
//     shows a tensor that no embeddings give; [ExpressByWitnesses] is the paper's
//     Proposition 1.
//   - Degeneracy: [Response] finds a triple in which an embedding counts.
//   - Equivalence: [Transport] turns a model of one structure into one of an
//     equivalent structure with the same scores.
//
// Package structure has the functions that need a structure alone.
package proofs
