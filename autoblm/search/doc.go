// Package search looks for the structure that suits a [task.Task] best, as the
// completion of a knowledge graph (paper, Section IV): a [Strategy] proposes
// structures round by round, a filter drops those that are degenerate or equivalent
// to earlier ones, a predictor picks the promising ones, and the task trains and
// scores those of a round together. What is trained, and on what, only the task knows.
//
// A strategy is a pure function of the settings, the trials so far and a random
// source that depends on the seed and the round. So a study that was
// interrupted goes on exactly as if it had not been, from its trials alone.
package search
