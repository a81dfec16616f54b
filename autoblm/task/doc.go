// Package task says what structures can be searched for: a [Task] trains trials on
// its data and says what they came to. Completion of a graph, answers to queries and
// classes of entities are three of them, each in a package of its own, and none comes
// before the others; package autoblm has the list. How results are told, each says by its
// [Words].
package task
