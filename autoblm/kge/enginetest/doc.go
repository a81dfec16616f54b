// Package enginetest is the conformance suite of the engines of embedding models. [Run]
// holds an engine to models in float64 that are written straight from the definitions
// of their forms, by difference quotients of the loss, on triples and on paths, for
// every form, and to what the interfaces promise. What an engine says that it lacks is
// passed over.
package enginetest
