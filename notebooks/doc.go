// Package notebooks holds the notebooks of this folder to their form: without
// outputs, readable as they stand, and in the same shape as all the others.
package notebooks
