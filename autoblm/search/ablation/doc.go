// Package ablation compares searches that differ in one thing, on one graph and
// over several seeds: the ablation studies of the paper (Section V-A), its
// transfer of structures to other graphs, and to other dimensions (Appendix C).
//
// Each search is a study in a file of its own, so that a comparison that was
// interrupted goes on where it was.
package ablation
