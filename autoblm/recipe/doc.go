// Package recipe lists training settings by name: those that others published for the benchmarks,
// with their sources and results, and those of this project for any graph. Training by a published
// recipe separates the effect of a model from the effect of its tuning.
//
// Recipes follow this project's conventions, which differ from their sources':
//
//   - The dimension counts real numbers. A complex number has two.
//   - The loss of a triple is the sum of the cross entropies of its tail and of its head. Others
//     take the mean, or see each triple once in each direction. So a penalty weighs twice as much
//     here, and a batch of theirs with triples in both directions has half as many triples here.
//   - Relation prediction is summed over both directions too, and keeps its weight.
//
// Adagrad is invariant to a factor on the loss, so learning rates stay the same.
package recipe
