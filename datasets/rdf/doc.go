// Package rdf reads RDF graphs some of whose nodes have classes: the data of
// entity classification (Section II-B of the paper).
//
// A [Graph] has nodes, relations, triples and, for the nodes whose class is
// known, which are to train with and which to test on. [Open] takes the name of a
// benchmark (see [Registry]) or a folder. A literal is a node like any other, as in
// the literature: all literals with one text and one type are one node.
//
// Nothing here downloads.
package rdf
