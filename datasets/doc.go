// Package datasets holds knowledge graphs: what a graph is, how it is read
// from a folder, where the benchmarks of the literature are found and fetched,
// and what can be said about a graph before any model sees it.
//
// A [Graph] has labels, three splits of triples and an index of the known
// answers. [Open] takes the name of the embedded graph ("world"), the name of a
// benchmark (see [Registry]) or a folder. [Describe] counts, [Patterns] tells
// symmetric relations from anti-symmetric and inverse ones as Appendix B of the
// paper does, and [SplitTriples] makes a data set out of one file of triples.
//
// Nothing here downloads unless [Fetch] is called.
package datasets
