// Package recipe has settings of training that others published for the benchmarks,
// by name, each with where it is from and what it reached there. Whoever trains by
// one need not ask whether a number is the model's or the tuning's. Others are for any
// graph; [Default] is the one where nothing is said.
//
// The numbers are in this project's conventions, which the sources' differ from:
//
//   - The dimension counts real numbers, of which a complex one has two.
//   - The loss of a triple is the sum of the cross entropies of its tail and of its
//     head, where others take their mean, or each triple once in each direction; so
//     a penalty of theirs weighs twice as much here, and a batch of theirs that has
//     triples in both directions is of half as many triples here.
//   - A relation prediction is summed over both directions too, and keeps its weight.
//
// Adagrad does not care for a factor on the loss, so learning rates stay.
package recipe
