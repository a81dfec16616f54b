// Package search looks for the structure that completes a knowledge graph best
// (paper, Section IV): a [Strategy] proposes structures round by round, a
// filter drops those that are degenerate or equivalent to earlier ones, a
// predictor picks the promising ones, and the structures of a round are trained
// as one population.
//
// A strategy is a pure function of the settings, the trials so far and a random
// source that depends on the seed and the round. So a study that was
// interrupted goes on exactly as if it had not been, from its trials alone.
package search
