// Package completion learns knowledge-graph completion with block-bilinear
// scoring functions: given a head and a relation it ranks every entity as the
// tail, and the other way round.
//
// The package holds what does not depend on how the arithmetic is done: the
// settings, the training loop with validation and early stopping, filtered
// ranks and their metrics, the model folder, prediction. The arithmetic is
// done by an [Engine]; package gomlx beside this one is the reference.
//
// Everything is a population: [Train] takes any number of members that share
// the graph, the dimension, the batches and the epochs, while each has its own
// structure, seed, learning rate and regularization. One model is a population
// of one, and a member's result never depends on its fellows. [TrainShared] is the
// exception: there one set of embeddings serves many structures in turn.
package completion
