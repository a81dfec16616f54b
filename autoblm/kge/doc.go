// Package kge trains, keeps and ranks with embedding models of knowledge graphs: a
// vector for each entity, numbers for each relation, and a [form.Form] that makes scores
// of them.
//
// The package holds what depends neither on the task nor on how the arithmetic is done:
// [Settings] and [Member], the training loop with validation, early stopping and
// checkpoints ([Train]), the [Model] and its folder, ranks and their [Metrics]. A task
// makes the [Data] to train on, in which a triple is a path of one hop. An [Engine] does
// the arithmetic: package cpu, the native one, or package gomlx, the reference.
//
// Everything is a population: [Train] takes any number of members that share the data, the
// form, the dimension, the batches and the epochs, while each has its own structure, seed,
// learning rate and regularization. One model is a population of one, and a member's
// result never depends on its fellows.
package kge
