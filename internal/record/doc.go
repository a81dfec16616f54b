// Package record stores measurements as small JSON files, with what is needed to repeat them: the
// command, the date, the machine and the versions.
package record
