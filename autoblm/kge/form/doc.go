// Package form has the forms of models: what a relation does to a query, and how a
// query scores an entity. Each form is a file with its tables and how they begin, its
// arithmetic on tables of float32 with the gradients, its definition in float64 that
// the arithmetic is held to, and where it is from; [All] lists them.
//
// A query begins as the row of its anchor, goes through the relations of its path in
// turn (a [Hop]), and scores the rows of all entities (a [tiles.Measure]). So a triple is
// a path of one hop, and every form answers triples and paths alike.
package form
