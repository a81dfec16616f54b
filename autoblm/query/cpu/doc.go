// Package cpu is the native engine for chain queries: it trains and scores models
// of paths on the cores of this machine.
//
// A path is walked hop by hop: its state, which begins as the row of the anchor,
// goes through each relation in turn (hop.go) and ends as the query. Nothing of the
// size d×d is made for a bilinear model. All entities are then scored at once by
// package tiles, by products as for completion or by distances, or a few by
// themselves (measure.go), and the gradient by the query walks the path back.
//
// A batch is cut into units of up to tiles.MostQueries paths. They leave the
// gradients by the rows that they looked up, and the entities that they learn by
// themselves as pairs; then each tile of entities and of relations collects its
// gradient from the units and takes its optimizer step (trainer.go).
//
// Units and tiles do not depend on the number of threads and every sum runs in a
// fixed order, so the same member comes to the same bits.
package cpu
