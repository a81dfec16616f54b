// Package structure is the structure matrix A of a block-bilinear scoring
// function: the object that AutoBLM searches for.
//
// Entity and relation embeddings are cut into K chunks. A is a K×K matrix over
// {0, ±1, …, ±K}; cell A_ij says which relation chunk, with which sign, links
// chunk i of the head with chunk j of the tail:
//
//	f_A(h,r,t) = Σ_ij sign(A_ij) ⟨h_i, r_|A_ij|, t_j⟩
//
// The package holds everything about A that needs no training: its text forms, the baselines,
// the test for degenerate structures, the equivalence of structures and their canonical form,
// the symmetry-related features, the number of classes, and a drawing for the terminal. Its only
// link to tensors is [Structure.SignTensor].
//
// Chunks of entities are counted from 0 in calls such as [Structure.At] and
// from 1 in what people read; relation chunks are always the values 1…K.
package structure
