package proofs_test

import (
	"iter"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// everyStructure yields all k×k structures, in the order of their rows.
func everyStructure(k int) iter.Seq[structure.Structure] {
	return func(yield func(structure.Structure) bool) {
		var fill func(s structure.Structure, cell int) bool
		fill = func(s structure.Structure, cell int) bool {
			if cell == k*k {
				return yield(s)
			}
			for value := -k; value <= k; value++ {
				if !fill(s.With(cell/k, cell%k, value), cell+1) {
					return false
				}
			}
			return true
		}
		fill(structure.Zero(k), 0)
	}
}
