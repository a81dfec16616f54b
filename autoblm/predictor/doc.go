// Package predictor predicts the quality of a structure before it is trained (paper, Section
// IV-B): a two-layer perceptron on features of the structure matrix, fitted to the structures
// trained so far.
//
// Only the order of predictions matters: the search trains the structures with the highest ones.
// A fit is a pure function of its arguments. All its steps run in one loop inside one graph,
// because a step takes less time than a call of a graph.
package predictor
