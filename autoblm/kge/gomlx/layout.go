package gomlx

import "github.com/autoblm/autoblm-go/autoblm/structure"

// interleave copies a row-major table with chunks of d/k one after the other
// into rows where position n of chunk i stands at n*k+i.
func interleave(to, from []float32, d, k int) {
	width := d / k
	for row := 0; row < len(from); row += d {
		for i := range k {
			for n := range width {
				to[row+n*k+i] = from[row+i*width+n]
			}
		}
	}
}

// deinterleave undoes interleave.
func deinterleave(to, from []float32, d, k int) {
	width := d / k
	for row := 0; row < len(from); row += d {
		for i := range k {
			for n := range width {
				to[row+i*width+n] = from[row+n*k+i]
			}
		}
	}
}

// stack puts the members' tables behind one another, interleaved.
func stack(tables [][]float32, d, k int) []float32 {
	size := len(tables[0])
	stacked := make([]float32, len(tables)*size)
	for i, table := range tables {
		interleave(stacked[i*size:], table, d, k)
	}
	return stacked
}

// operators is [S, mixes, K·K, K] of the structures' sign tensors T[i,k,j]: to
// mix for tails row (i,k) and column j, for heads row (j,k) and column i, for
// relations row (i,j) and column k.
func operators(structures []structure.Structure) []float32 {
	k := structures[0].K()
	cube := k * k * k
	out := make([]float32, 0, len(structures)*mixes*cube)
	for _, s := range structures {
		signs := s.SignTensor()
		for _, sign := range signs {
			out = append(out, float32(sign))
		}
		heads, relations := make([]float32, cube), make([]float32, cube)
		for i := range k {
			for r := range k {
				for j := range k {
					sign := float32(signs[(i*k+r)*k+j])
					heads[(j*k+r)*k+i] = sign
					relations[(i*k+j)*k+r] = sign
				}
			}
		}
		out = append(out, heads...)
		out = append(out, relations...)
	}
	return out
}
