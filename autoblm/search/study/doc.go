// Package study keeps a search in a file: one SQLite database with what the
// study is about, every trial, every round, and the files of the best model. Each change is
// a transaction on disk before anything depends on it, so a process that is killed
// loses at most the trials it had in training.
//
// [Open] is for the one process that searches: it has the file for itself, by a
// lock that dies with it, and whoever comes second hears which process that is.
// [Read] is for whoever wants to know: it needs nothing but the file, which it
// leaves as it is. Rows carry checksums, so that a damaged study is never taken
// for another one.
package study
