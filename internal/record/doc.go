// Package record keeps what was measured as small JSON files, with what is needed
// to measure it again: the command, the date, the machine and the versions.
package record
