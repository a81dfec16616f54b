// Package kerneltest is a Jupyter kernel for tests, whose cells are lists of simple
// commands. It needs nothing to be installed: it is the test program itself,
// started again.
package kerneltest
