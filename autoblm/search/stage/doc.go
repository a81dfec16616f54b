// Package stage has the stages of a search: the default model, planning, tuning, comparing structures,
// tuning each of the best, retraining, selecting an ensemble, and the final trainings of the paper's full
// procedure (Algorithm 5).
//
// To add a stage, implement [search.Stage] in a file of its own and append it to [All].
package stage
