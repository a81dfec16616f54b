// Package linear separates structures that no linear map of the chunks joins. It is theory, for
// facts about a structure and for tests: no search uses it, because the equivalence that it
// tests does not preserve training (see the end of this comment).
//
// A and B are joined when T_B = T_A·(P,Q,P) for invertible real K×K matrices P
// and Q, T being the sign tensors: then a change of basis of entity chunks (P)
// and of relation chunks (Q) turns the scoring function of one into that of the
// other, and both reach the same scores. Signed permutations are the special case that
// [structure.Structure.Canonical] decides; `1,2;2,1` is DistMult with two chunks
// only after (h1±h2)/√2 and r1±r2.
//
// [Of] gives an invariant: what joined structures have in common. It is new, and
// it never separates joined structures, since all its parts are defined without a
// basis and computed with exact integers. It need not separate all others. [Join]
// looks for the map itself among small integer ones. Together they are a census:
//
//	structures                                classes   invariants   classes left after explicit maps
//	K=2, not degenerate                            20           12    12
//	K=2, all                                       41           24    24
//	K=3, up to 5 nonzeros, not degenerate         647          455   455
//	K=3, up to 4 nonzeros, all                    569          286   286
//
// A join keeps the functions that can be reached, not the way to them: Adagrad
// and the penalty n3 respect signed permutations only, and l2 orthogonal maps.
package linear
