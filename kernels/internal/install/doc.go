// Package install makes and removes what a Jupyter kernel for Go cells needs, in a
// folder of its own: the programs that the kernel runs, the module that cells
// import from, and the specs by which Jupyter finds the kernels.
//
// The kernel is GoNB (https://github.com/janpfeifer/gonb). It makes each cell a
// program, in a workspace with the module of the cells, and asks "go get" for what
// the cell imports. So that this needs no network and no time, all that a cell may
// import is fetched and compiled beforehand, and cells may not fetch.
package install
