package classify

import "math/rand/v2"

// newRand returns a random number generator for one purpose of a seed.
func newRand(seed, purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 0x636c617373696679^purpose*0x9e3779b97f4a7c15))
}

// fillNormal draws numbers with a standard deviation.
func fillNormal(numbers []float32, seed, purpose uint64, deviation float64) {
	rng := newRand(seed, purpose)
	for i := range numbers {
		numbers[i] = float32(rng.NormFloat64() * deviation)
	}
}

// DropoutMask writes the mask [nodes, d] of a layer for a step, counted from 1. It is 0 for dropped
// coordinates and 1/(1-Dropout) for the others. It depends on the member's seed, the step, the
// layer, the node and the coordinate, but not on the machine or on the other nodes.
func (m Member) DropoutMask(mask []float32, nodes []int32, step, layer int) {
	if m.Dropout == 0 {
		for i := range mask {
			mask[i] = 1
		}
		return
	}
	const bits = 16 // of a hash, for each coordinate
	threshold := uint64(m.Dropout * (1 << bits))
	keep := float32(1 / (1 - m.Dropout))
	d := len(mask) / len(nodes)
	base := scramble(m.Seed ^ scramble(uint64(step)<<8+uint64(layer)))
	for row, node := range nodes {
		state := scramble(base + uint64(node))
		for c := range d {
			if c%(64/bits) == 0 {
				state = scramble(state)
			}
			value := float32(0)
			if state>>(bits*(c%(64/bits)))&(1<<bits-1) >= threshold {
				value = keep
			}
			mask[row*d+c] = value
		}
	}
}

// scramble performs a step of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
