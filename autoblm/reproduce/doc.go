// Package reproduce runs what the paper did on a benchmark, or a part of it: the
// search for a structure, and the final training of one. It goes on where it was
// interrupted, so that it can be done in pieces; see [Run].
//
// Where the paper tunes learning rate, penalty and sizes for each benchmark, before
// and after its search (Algorithm 5), a reproduction takes what others found by that;
// see package recipe.
package reproduce
