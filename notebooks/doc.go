// Package notebooks checks the notebooks in this folder: their format, that they compile, and that
// stored outputs belong to their code.
package notebooks
