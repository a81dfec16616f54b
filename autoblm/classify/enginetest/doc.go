// Package enginetest is the conformance suite of the engines of classification. [Run] compares an
// engine with a slow reference that computes logits and losses in float64 from their definitions,
// edge by edge, and gradients as difference quotients.
package enginetest
