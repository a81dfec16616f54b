// Package dropout decides which coordinates of a query are dropped in a training
// step. That is a pure function of the member's seed, the step and the place in
// the batch, so that it does not depend on the engine, the fellow members or the
// threads. Its hash draws the slopes of a sparse gradients, too.
package dropout

// Key is what [Dropped] needs to know of a member's seed and of a step, which
// counts from 1.
func Key(seed uint64, step int) uint32 {
	return Scramble(uint32(seed) ^ Scramble(uint32(seed>>32)^Scramble(uint32(step))))
}

// Dropped tells whether a coordinate is dropped, when a share of them is.
// Query 2i is for the tail of the batch's triple i, query 2i+1 for its head.
func Dropped(key uint32, query, coordinate, dim int, share float64) bool {
	return Scramble(key+Stride*uint32(query*dim+coordinate)) < Threshold(share)
}

// Stride keeps the inputs of the hash of neighbouring coordinates apart.
const Stride = 0x9e3779b9

// Threshold is what the hash of a dropped coordinate is below.
func Threshold(share float64) uint32 { return uint32(share * (1 << 32)) }

// The steps of Scramble: shift right and exclusive or, multiply.
const (
	Shift1, Factor1 = 16, 0x7feb352d
	Shift2, Factor2 = 15, 0x846ca68b
	Shift3          = 16
)

// Scramble is a hash with little bias: each bit of x moves about half the bits
// of the result (the constants are from Wellons' search for such functions).
func Scramble(x uint32) uint32 {
	x ^= x >> Shift1
	x *= Factor1
	x ^= x >> Shift2
	x *= Factor2
	return x ^ x>>Shift3
}
