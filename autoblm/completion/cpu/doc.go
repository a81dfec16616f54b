// Package cpu is the native engine: block-bilinear models of any K, trained and
// ranked by fused loops over tiles that stay in cache, without XLA and without
// cgo.
//
// The scores of a batch against all entities are a table of [entities, queries]
// that is never there as a whole. Its tiles of [tileRows, unitQueries] are
// filled by a matrix product, turned into exponentials in place, and multiplied
// back while they are in cache. In this orientation no embedding is ever
// transposed, and maxima and sums run down the columns, all queries at once.
//
// # How a step goes
//
// The batch is cut into units of unitTriples triples, each a tail query and a
// head query. A unit walks over the tiles of entities (forward): scores, their
// running maximum, exponentials, and the gradient by the queries, rescaled
// whenever a maximum rises. The exponentials are kept. Then each tile of
// entities (backward) collects its gradient from the units, adds what its
// entities got as heads and tails, and takes its optimizer step at once.
//
// # The same bits
//
// Units and tiles do not depend on the number of threads, and every sum runs in
// a fixed order, so a member's result is the same to the bit whatever the
// threads and the fellow members.
package cpu
