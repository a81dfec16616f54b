// Package cpu is the native engine, without XLA and without cgo. It ranks with all forms, on triples
// and paths, and trains those that are not neural. It trains no encoders.
//
// The scores of a batch are a table of [entities, queries] that is never stored as a whole. Its
// tiles have [tiles.Rows, tiles.MaxQueries] numbers. The measure of the form fills a tile, which
// is then exponentiated in place and multiplied back while it is in cache. In this orientation
// no embeddings are transposed, and maxima and sums run down the columns, for all queries at
// once.
//
// # Forms
//
// Each form_*.go file implements one form of package form with its gradients: a hop, which
// applies a relation to states, and a measure, which scores entities.
//
// # A step
//
// A batch is divided into units (layout). An objective computes the loss of each: triples in
// both directions, or the ends of paths. A unit looks up the embeddings of its examples, walks
// their paths hop by hop, and takes the resulting queries over the tiles of entities
// (tiles.Softmax): scores, running maximum, exponentials, and the gradient with respect to the
// queries, rescaled when a maximum rises. That gradient is propagated back to the embeddings.
// The exponentials are kept. Then each tile of entities (updateEntities) collects its gradient
// from the units, adds that of its entities as anchors and targets, and takes its optimizer
// step. So does each tile of relations.
//
// # Bfloat16
//
// In bfloat16, for forms that score by products, there is a rounded copy of the entities as
// tiles of the matrix unit (tiles.Rounded). The optimizer rounds each row that it updates while
// the row is in cache. All three products take packed factors and sum in float32
// (tiles.roundedExponentials):
//
//   - scores: rounded rows times the queries of a unit, packed once;
//   - the gradient with respect to the queries: the exponentials, transposed while they are in
//     cache, times the rows;
//   - the gradient with respect to the rows: the exponentials of all units, one table per
//     batch, times the queries, scaled by their weights over their sums and packed once.
//
// Bfloat16 has the range of float32, so the number subtracted from scores before they are
// exponentiated need only be near their maximum. It is the maximum of the first rows, and rises
// only if a score is 40 above it. So rescaling is rare. In IVR of forms with cores, the products of a
// core with heads and tails also take rounded factors (sliceBuffers, foldedBfloat16). The loss, its
// sums, the scores of true answers, all other penalties and the optimizer are float32.
//
// # Recipes
//
// Each part of a recipe enters a step at one place and costs nothing if it is not used.
//
//   - Reciprocal relations: a unit of triples also has their reverses (unit.load).
//   - Query grouping: a unit has several examples per query; the first one carries the
//     gradient of the query (layout, propagateQueries).
//   - Relation prediction: a second softmax, over the relations (predictRelations).
//   - Dropout: a mask on the queries and their gradient (tiles.Mask).
//   - Negative sampling: on paths, individual pairs of a query and an entity replace the softmax
//     (negativeSampling). On triples, the queries of a unit share their negatives, whose rows are
//     copied next to each other (tiles.Softmax.NegativeSampling).
//   - Binary cross entropy: sigmoids in place of exponentials, which lack the labels
//     (tiles.Softmax.BinaryCrossEntropy). An example is a query with all of its answers.
//   - Sampled softmax: the rows of the drawn entities are copied next to each other and
//     replace the entities; answers that were not drawn enter the sums individually. With
//     Adagrad only rows with a gradient are updated (sample).
//   - Distillation: individual pairs of a query and an entity of the teacher's answer, in addition
//     to the softmax (learnFromTeacher).
//   - Penalties of embeddings (penalty.go), of products, and IVR (penalizeIntermediates;
//     coreIVR and coreEnds for forms with cores).
//   - Max norm: after the optimizer step of a tile (tiles.ClipNorms).
//
// # Reproducible bits
//
// Units and tiles do not depend on the number of threads, and every sum has a fixed order. So
// a member's result is bitwise the same for any number of threads, other members and size of
// kept exponentials. The matrix unit sums in the order of the terms, however a product is
// divided.
package cpu
