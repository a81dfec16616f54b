// Package ablation compares searches that differ in one setting, on one graph and over several
// seeds. It covers the ablation studies of the paper (Section V-A), the transfer of structures to
// other graphs, and other dimensions (Appendix C).
//
// Each search is a study in its own file, so an interrupted comparison can be resumed.
package ablation
