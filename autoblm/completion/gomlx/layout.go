package gomlx

import (
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

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
func stack(parameters []completion.Parameters) (entities, relations []float32) {
	p := parameters[0]
	entities = make([]float32, len(parameters)*len(p.Entities))
	relations = make([]float32, len(parameters)*len(p.Relations))
	for i, p := range parameters {
		interleave(entities[i*len(p.Entities):], p.Entities, p.Dim, p.Structure.K())
		interleave(relations[i*len(p.Relations):], p.Relations, p.Dim, p.Structure.K())
	}
	return entities, relations
}

// operators is [S, 2, K·K, K] of the structures' sign tensors T[i,k,j]: for
// tail queries row (i,k) and column j, for head queries row (j,k) and column i.
func operators(structures []structure.Structure) []float32 {
	k := structures[0].K()
	cube := k * k * k
	out := make([]float32, 0, len(structures)*2*cube)
	for _, s := range structures {
		signs := s.SignTensor()
		for _, sign := range signs {
			out = append(out, float32(sign))
		}
		heads := make([]float32, cube)
		for i := range k {
			for r := range k {
				for j := range k {
					heads[(j*k+r)*k+i] = float32(signs[(i*k+r)*k+j])
				}
			}
		}
		out = append(out, heads...)
	}
	return out
}
