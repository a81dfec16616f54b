// Package kge trains, saves and ranks with embedding models of knowledge graphs. A model has a
// vector for each entity, numbers for each relation, and a [form.Form] that scores with them.
//
// The package is independent of the task and of the arithmetic. It has [Settings] and
// [Member], the training loop with validation, early stopping and checkpoints ([Train]), and
// the [Model] with its folder. A task provides the [Data] to train on; a triple is a path of
// one hop. An [Engine] does the arithmetic: package cpu is the native one, package gomlx that
// on GoMLX. Package eval has ranks and metrics.
//
// Everything is a population: [Train] trains any number of members that share data, form,
// dimension, batches and epochs. Each member has its own structure, seed, learning rate and
// regularization. A member's result never depends on the other members.
//
// Files are in layers, from settings, members and data over the engine interface and the
// training loop (run.go, epoch.go, validate.go, train.go) to the model folder.
package kge
