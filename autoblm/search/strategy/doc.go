// Package strategy proposes structures to train (paper, Section IV). A [Strategy] is a pure
// function of its options, the trials so far and a random source. A filter drops candidates that
// are degenerate or equivalent to earlier structures, and a predictor selects the promising ones.
//
// To add a strategy, implement [Strategy] in a file of its own and append it to [All]. A program gives
// one of its own to the search; see the examples of package search.
package strategy
