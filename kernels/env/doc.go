// Package env imports the packages that cells can import without a network, in addition
// to the library. No program imports it: the installer copies deps.go into the module
// that cells are built with.
package env
