// Package cpu is the native engine of classification: loops over tables, using the kernels of
// package kge/cpu. A model is trained on one core, and as many models in parallel as there are
// threads, so the results do not depend on the number of threads.
//
// A relation's matrix multiplies all its messages at once. Sums over neighbours add rows in an
// order that is fixed for a network.
package cpu
