// Package study stores a search in one SQLite file: its settings, trials, rounds, plan and
// models.
//
// Each change is a transaction that is on disk before anything depends on it. A process that is
// killed loses at most the trials that it was training.
//
// [Open] opens a study for the one process that searches. It takes an exclusive lock of the
// operating system, which ends with the process. [Read] reads a study and leaves the file
// unchanged. Rows carry checksums, because SQLite does not detect a changed value on a failing
// disk.
package study
