// Package study keeps a search in a file: one SQLite database with what the
// study is about, every trial, and the best model. Each change is a transaction
// on disk before anything depends on it, so a process that is killed loses at
// most the trials it had in training.
package study
