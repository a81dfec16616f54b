// Package session starts a Jupyter kernel from its spec, executes cells on it and
// leaves no process behind: kernel, cells and what cells start are one process
// group, which ends with the session, and also when the program that holds the
// session is killed.
package session
