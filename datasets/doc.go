// Package datasets holds knowledge graphs: what a graph is, how it is read
// from a folder, where the benchmarks of the literature are found and fetched,
// and statistics of a graph.
//
// A [Graph] has labels, three splits of triples and an index of the known
// answers. [Open] takes the name of the embedded graph ("world"), the name of a
// benchmark (see [Registry]) or a folder. [Describe] counts, [Patterns] finds symmetric,
// anti-symmetric and inverse relations (paper, Appendix B), [Related] finds relations whose
// facts imply each other, and [SplitTriples] makes a data set from one file of triples.
//
// Nothing here downloads unless [Fetch] is called.
package datasets
