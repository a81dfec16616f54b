// Package completion predicts missing triples of a knowledge graph: the tail for a head and a
// relation, or the head for a relation and a tail.
//
// [Data] prepares a graph for [kge.Train], [Evaluate] ranks the true entities of a split among all
// others except known answers. A [Predictor] lists the best answers: it is a [Single] model, or an
// [Ensemble] of models that [ChooseEnsemble] selects. [Task] is the task of a search.
// [TrainSharedEmbeddings] trains one set of embeddings for many structures in turn.
package completion
