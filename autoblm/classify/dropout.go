package classify

// DropoutMask writes the mask [nodes, d] of a layer for a step, which counts from 1: 0
// for the member's share of the coordinates, and for the others what keeps their mean.
// What is dropped depends on the member's seed, the step, the layer, the node and the
// coordinate, so neither on the machine nor on which other nodes there are.
func (m Member) DropoutMask(mask []float32, nodes []int32, step, layer int) {
	if m.Dropout == 0 {
		for i := range mask {
			mask[i] = 1
		}
		return
	}
	const bits = 16 // of a hash for each coordinate
	threshold := uint64(m.Dropout * (1 << bits))
	keep := float32(1 / (1 - m.Dropout))
	d := len(mask) / len(nodes)
	all := scramble(m.Seed ^ scramble(uint64(step)<<8+uint64(layer)))
	for row, node := range nodes {
		state := scramble(all + uint64(node))
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

// scramble is the step of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
