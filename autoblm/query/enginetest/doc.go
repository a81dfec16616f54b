// Package enginetest is the conformance suite of the engines that answer chain
// queries. It holds them to models in float64 that are written straight from
// their definitions, and to difference quotients of the loss.
package enginetest
