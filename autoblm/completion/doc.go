// Package completion completes knowledge graphs: given a head and a relation, a model
// ranks every entity as the tail, and the other way round.
//
// [Data] is a graph for [kge.Train], which learns each triple in both directions.
// [RankSplit] ranks the triples of a split with all other known answers left out,
// [Evaluate] sums the ranks up, and [Predict] lists the best answers to a query by names.
// [Task] lets structures be searched for that do this best. With [TrainShared] one set of
// embeddings serves many structures in turn.
package completion
