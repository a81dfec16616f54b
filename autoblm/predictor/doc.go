// Package predictor guesses how good a structure is before it is trained
// (paper, Section IV-B): features of the structure matrix go into a two-layer
// perceptron that is fitted to the structures trained so far.
//
// Only the order of the guesses matters: the search trains the structures with
// the highest ones. A fit is a pure function of its arguments, and all its steps
// are one loop inside one graph, as each of them is smaller than what it takes
// to call a graph.
package predictor
