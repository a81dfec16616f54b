// Package cpu is the native engine: models of all forms, trained and ranked by fused
// loops over tiles that stay in cache, without XLA and without cgo.
//
// The scores of a batch against all entities are a table of [entities, queries]
// that is never there as a whole. Its tiles of [tiles.Rows, tiles.MostQueries] are
// filled by products or distances (tiles.Measure), turned into exponentials in place, and multiplied
// back while they are in cache. In this orientation no embedding is ever
// transposed, and maxima and sums run down the columns, all queries at once.
//
// # How a step goes
//
// The batch is cut into units of at most tiles.MostQueries queries. Those of triples ask
// for the tail and for the head (triples.go), those of paths for the ends (answers.go). A
// unit walks the paths hop by hop, and then goes over the tiles of entities
// (tiles.Softmax): scores, their running maximum, exponentials, and the gradient by the
// queries, rescaled whenever a maximum rises. The exponentials are kept. The gradient
// goes the hops back. Then each tile of entities (updateEntities) collects its gradient
// from the units, adds what its entities got as heads and tails, and takes its optimizer
// step at once. So does each tile of relations.
//
// # Recipes
//
// Each part of a recipe comes into a step at one place, and costs nothing where
// it is not wanted.
//
//   - Reciprocal relations: a unit has the reverses of its triples too, and asks all of
//     them for their tails alone (unit.go).
//   - Relation prediction: a second softmax, over the relations (triples.go).
//   - Dropout: a mask on the queries, and on the gradient by them (tiles.Mask).
//   - Smoothed labels: they pull queries to the mean entity, and all entities to
//     the sum of the queries (tiles.Smoothing).
//   - Penalties, of embeddings and of the products of heads and tails with
//     relations (penalty.go).
//   - The largest norm: after the optimizer step of a tile (tiles.Shorten).
//
// # The same bits
//
// Units and tiles do not depend on the number of threads, and every sum runs in
// a fixed order, so a member's result is the same to the bit whatever the
// threads, the fellow members and the room that is kept.
package cpu
