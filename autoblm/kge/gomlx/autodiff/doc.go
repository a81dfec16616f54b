// Package autodiff trains and scores models of any form, on triples and on paths, with GoMLX graphs
// whose gradients are automatic.
//
// A form is one file: it implements [graphForm], two graph functions for hops and scores. A batch
// is a list of questions with answers. Triples, triples with grouped answers and paths differ only
// in how their examples become such lists. So do their losses: all of them compare the scores of
// answers with those of candidates, which are all entities, a sample, or negatives.
//
// A step is one program, or one for each part of a batch: each adds its gradients to those before, and
// the last one also updates the tables. Tables, structures, learning rates and weights are inputs of
// the programs, and the members of a population take turns. So a program is compiled once for each
// shape. Its inputs are made while the device computes the step before.
//
// With an encoder the program also makes the tables of a model from those that are learned, see
// package encoder. Another one does so for rankings. Both are compiled for each structure of messages
// and share of dropout of the encoder, which are constants.
package autodiff
