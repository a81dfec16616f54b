// Package notebooks holds the notebooks of this folder to their form: with outputs of
// the code that they have or without any, readable as they stand, and in the same shape
// as all the others.
package notebooks
