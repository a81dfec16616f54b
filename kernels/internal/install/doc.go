// Package install installs the Jupyter kernels for Go cells: the programs that a kernel
// runs, the module that cells import from, and the specs through which Jupyter finds the
// kernels.
//
// The kernel is GoNB (https://github.com/janpfeifer/gonb). It makes each cell a program
// in a workspace with the module of the cells, and runs "go get" for the imports of the
// cell. Fetching takes time and needs a network, so the installer fetches and compiles
// all packages that cells may import, and cells run with GOPROXY=off.
package install
