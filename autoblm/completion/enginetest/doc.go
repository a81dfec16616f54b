// Package enginetest is the conformance suite of the completion engines. [Run]
// holds an engine against a slow reference that computes scores, losses,
// gradients and ranks in float64 from their definitions.
package enginetest
