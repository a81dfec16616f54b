// Package env imports what a notebook's cell can import without a network, beside
// the library itself. It is no part of any program: the installer copies deps.go
// into the module that cells are built with.
package env
