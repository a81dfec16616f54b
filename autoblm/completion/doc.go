// Package completion is knowledge-graph completion: which entity is the tail of a head and
// a relation, or the head of a relation and a tail.
//
// [Data] is a graph as [kge.Train] learns it, [Evaluate] ranks the true entities of a split
// among all others, the known answers left out, and [Predict] lists the best answers by
// names. A [Ensemble] is several models that answer together, which [ChooseEnsemble] chooses.
// [Task] is what a search does with all that. [TrainShared] trains one set of embeddings
// for many structures in turn.
package completion
