// Package classify tells the classes of entities by graph convolutions: relational
// encoders pass messages along the edges of a graph for some layers, and a
// perceptron turns what an entity has got into logits (Sections II-B and V-C of the
// paper). The messages are g(A, r) e for any structure A, or those of GCN, R-GCN
// and CompGCN; see [Encoder].
//
// A [Trainer] trains members, structures with their learning rates and seeds, on
// one graph with one [Settings]. Each is cross-validated on the nodes to train with,
// which finds the number of epochs, and then tested. [Tune] draws settings at
// random. A structure is data, as in package completion: its sign tensor is an input
// of the compiled step, so nothing is compiled between two structures.
//
// # How a step is computed
//
// The arithmetic is done by loops over tables, which use the kernels of the engine
// cpu, or by GoMLX, which runs on GPUs too and is what the loops are held to. Three
// things make both quick, and change nothing but rounding:
//
//   - Only the receptive field is computed: what the labelled nodes can see in so
//     many layers. Of the last layer that is the labelled nodes.
//   - All encoders' messages are linear in the entity, so a relation is a matrix,
//     and is applied to sums of neighbours or to single sources, whichever are fewer.
//   - Sums over neighbours are lookups and additions in an order made once for a
//     graph. There is no scatter, so results repeat to the bit.
package classify
