// Package classify tells the classes of entities by graph convolutions: relational
// encoders pass messages along the edges of a graph for some layers, and a
// perceptron turns what an entity has got into logits (Sections II-B and V-C of the
// paper). The messages are g(A, r) e for any structure A, or those of GCN, R-GCN
// and CompGCN; see [Encoder].
//
// A [Trainer] trains members, structures with their learning rates and seeds, on
// one graph with one [Settings]. Each is cross-validated on the nodes to train with,
// which finds the number of epochs, and then tested. [Tune] draws settings at
// random. What is trained can be kept as a [Model], in a folder, and asked for the class
// of any node of its graph.
//
// # How a step is computed
//
// An [Engine] does the arithmetic: package cpu by loops over tables, package gomlx as
// graphs of GoMLX, which run on GPUs too. Both compute a [Network], and two things make
// that quick and change nothing but rounding:
//
//   - It has only what the nodes to classify depend on: of the last layer these nodes,
//     and of each layer below what the one above it sees.
//   - All encoders' messages are linear in the entity, so a relation is a matrix,
//     and is applied to sums of neighbours or to single sources, whichever are fewer;
//     see [Messages].
package classify
