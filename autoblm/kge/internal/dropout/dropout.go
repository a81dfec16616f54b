// Package dropout decides which coordinates of a query are dropped in a training step. The
// decision is a pure function of the member's seed, the step and the position in the batch, so
// it does not depend on the engine, the other members or the threads. Sparse gradients use the
// same hash.
package dropout

// Key returns the argument of [Dropped] for a member's seed and a step, which counts from 1.
func Key(seed uint64, step int) uint32 {
	return Scramble(uint32(seed) ^ Scramble(uint32(seed>>32)^Scramble(uint32(step))))
}

// InputKey returns the argument of [Dropped] for the entities at which queries start.
func InputKey(seed uint64, step int) uint32 {
	const other = 0x696e707574 // any number that is unlikely to link two seeds
	return Key(seed^other, step)
}

// LayerKey returns the key of the dropouts within a form, such as those of the layers of a network.
func LayerKey(seed uint64, step int) uint32 {
	const other = 0x6c61796572
	return Key(seed^other, step)
}

// Dropped reports whether a coordinate is dropped, if a share of them is. Query 2i is for the
// tail of the batch's triple i, query 2i+1 for its head.
func Dropped(key uint32, query, coordinate, dim int, share float64) bool {
	return Scramble(key+Stride*uint32(query*dim+coordinate)) < Threshold(share)
}

// Stride separates the hash inputs of neighbouring coordinates.
const Stride = 0x9e3779b9

// Threshold returns the number that the hash of a dropped coordinate is less than.
func Threshold(share float64) uint32 { return uint32(share * (1 << 32)) }

// The steps of Scramble: shift right and exclusive or, multiply.
const (
	Shift1, Factor1 = 16, 0x7feb352d
	Shift2, Factor2 = 15, 0x846ca68b
	Shift3          = 16
)

// Scramble hashes x with little bias: each bit of x changes about half the bits of the result.
// The constants are from Wellons' search for such functions.
func Scramble(x uint32) uint32 {
	x ^= x >> Shift1
	x *= Factor1
	x ^= x >> Shift2
	x *= Factor2
	return x ^ x>>Shift3
}
