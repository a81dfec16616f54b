// Package cpu is the native engine: models of every form, trained on triples and on paths
// and ranked by fused loops over tiles that stay in cache, without XLA and without cgo.
//
// The scores of a batch against all entities are a table of [entities, queries]
// that is never there as a whole. Its tiles of [tiles.Rows, tiles.MaxQueries] are
// filled by the measure of the form, turned into exponentials in place, and multiplied
// back while they are in cache. In this orientation no embedding is ever
// transposed, and maxima and sums run down the columns, all queries at once.
//
// # How a step goes
//
// The batch is cut into units, and a lesson learns each of them: triples both ways, or
// answers at the ends of paths. A unit looks up the rows of its examples, walks their
// paths hop by hop, and takes the queries that this makes over the tiles of entities
// (tiles.Softmax): scores, their running maximum, exponentials, and the gradient by the
// queries, rescaled whenever a maximum rises. That gradient is walked back to the rows. The
// exponentials are kept. Then each tile of entities (updateEntities) collects its gradient
// from the units, adds what its entities got as anchors and targets, and takes its optimizer
// step at once. So does each tile of relations.
//
// # In bfloat16
//
// Where the settings have that precision and the form scores by products, the entities are
// kept rounded too, as tiles of the matrix unit (tiles.Rounded), half as large as their numbers;
// the optimizer rounds what it moves while that is in cache. All three products take packed
// factors with sums in float32 (tiles.roundedExponentials):
//
//   - scores: rounded rows by the queries of a unit, packed once;
//   - the gradient by the queries: the exponentials, turned while they are in cache, by the
//     rows, paired as they pass;
//   - the gradient by the rows: the exponentials of all units, which are one table by
//     batch, by the queries with their weights over their sums, packed once.
//
// What is taken from the scores before they are exponentiated needs not be their maximum,
// only near it, since bfloat16 has float32's exponents: it is the maximum of the first rows,
// and rises where a score is 40 above. So nothing is rescaled, nearly always. The loss, its
// sums, the scores of true answers, penalties, and the optimizer are float32.
//
// # Recipes
//
// Each part of a recipe comes into a step at one place, and costs nothing where
// it is not wanted.
//
//   - Reciprocal relations: a unit of triples has their reverses too, and asks all of them
//     for their targets alone (unit.fetch).
//   - Answers together: a unit has several examples for each query, and the first that asks a
//     question carries the gradient of all who do (layout, askedBack).
//   - Relation prediction: a second softmax, over the relations (predictRelations).
//   - Dropout: a mask on the queries, and on the gradient by them (tiles.Mask, tiles.Dropping).
//   - Smoothed labels: they pull queries to the mean entity, and all entities to
//     the sum of the queries (tiles.Smoothing).
//   - Drawn entities that are no answers: pairs of a query and an entity, one by one, in
//     place of the softmax (logistic).
//   - Sampled softmax: the rows of the drawn entities are copied next to each other, and are what
//     queries are taken over; answers that were not drawn come to the sums by
//     themselves. Adagrad then moves only rows that have a gradient, and none is
//     rounded before the epoch is over (sample).
//   - Penalties, of embeddings (penalty.go) and of what paths make of their ends.
//   - The largest norm: after the optimizer step of a tile (tiles.Shorten).
//
// # The same bits
//
// Units and tiles do not depend on the number of threads, and every sum runs in
// a fixed order, so a member's result is the same to the bit whatever the
// threads, the fellow members and the room that is kept. A sum goes through the matrix unit
// in the order of its terms, however it is cut into pieces.
package cpu
