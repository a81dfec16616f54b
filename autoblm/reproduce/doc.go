// Package reproduce runs the procedure of the paper on a benchmark: the search for a structure
// and the final training of one. It saves its progress, so that several calls can share the work;
// see [Run].
//
// The paper tunes learning rate, penalties and sizes for each benchmark before and after its
// search (Algorithm 5). A reproduction uses published values instead; see package recipe.
package reproduce
