// Package classify predicts the classes of entities with graph convolutions. A relational encoder
// passes messages along the edges of a graph through some layers, and a perceptron turns the
// representation of an entity into logits (Sections II-B and V-C of the paper). The messages are
// g(A, r) e for any structure A, or those of GCN, R-GCN and CompGCN; see [Encoder].
//
// A [Trainer] trains members, structures with their rates and seeds, on one graph with the same
// [Settings]. It cross-validates each member on the training nodes, which finds the number of
// epochs, and then tests it. [Tune] draws settings at random. A trained [Model] can be saved in a
// folder. An [Ensemble] of models, or of one, predicts the class of any node of their graph.
//
// # How a step is computed
//
// An [Engine] does the arithmetic: package cpu with loops over tables, package gomlx with graphs of
// GoMLX, which also run on GPUs. Both compute a [Network]. Two properties make that fast and change
// nothing but rounding:
//
//   - A network holds only what the nodes to classify depend on: these nodes in the last layer, and
//     in each layer below the sources of the layer above.
//   - The messages of all encoders are linear in the entity. So a relation is a matrix, applied to
//     sums of neighbours or to single sources, whichever are fewer; see [Messages].
package classify
