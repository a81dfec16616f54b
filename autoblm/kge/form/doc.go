// Package form defines the forms of models: how a relation changes a query, and how a
// query scores an entity.
//
// Each form is one file. It registers a [Spec]: the tables of its relations and their
// initial values, its definition in float64, and what it can do ([Capabilities]). Engines
// implement forms in their own precision, and their conformance suite compares them with the
// float64 definition.
//
// A query starts as the embedding of its anchor and goes through the relations of its path
// in turn. The resulting state scores all entities. So a triple is a path of one hop, and
// every form answers triples and paths alike.
package form
