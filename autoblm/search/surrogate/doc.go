// Package surrogate has the performance predictor of structures (paper, Section IV-B). A two-layer
// perceptron on features of the structure matrix, fitted to the structures trained so far, predicts
// the score of a structure before it is trained.
//
// Only the order of predictions matters: the search trains the structures with the highest ones.
// A fit is a pure function of its arguments. All its steps run in one loop inside one graph,
// because a step takes less time than a call of a graph.
package surrogate
