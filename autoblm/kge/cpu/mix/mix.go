// Package mix computes queries of bilinear forms from a structure, and their gradients.
package mix

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Role is a position in a triple.
type Role int

// The roles.
const (
	AsHead Role = iota
	AsRelation
	AsTail
)

func (r Role) others() (Role, Role) { return (r + 1) % 3, (r + 2) % 3 }

// Mixer applies a structure to rows of a fixed dimension.
type Mixer struct {
	kernels *kernel.Set
	width   int // of a chunk, d/K
	terms   []term
}

// term is a nonzero entry of the structure, sign·⟨h_i, r_k, t_j⟩, with the first columns of
// its chunks.
type term struct {
	columns [3]int // by role
	sign    float32
}

// New returns the mixer of a structure. K divides dim.
func New(k *kernel.Set, s structure.Structure, dim int) Mixer {
	m := Mixer{kernels: k, width: dim / s.K()}
	for i := range s.K() {
		for j := range s.K() {
			value, sign := s.At(i, j), float32(1)
			if value < 0 {
				value, sign = -value, -1
			}
			if value != 0 {
				columns := [3]int{i * m.width, (value - 1) * m.width, j * m.width}
				m.terms = append(m.terms, term{columns, sign})
			}
		}
	}
	return m
}

// ByRole holds a table for each role with one row for each triple: its embedding, or the
// gradient of that.
type ByRole [3]kernel.Table

// Mix adds to each of n rows the query whose scalar product with the row in the given role is
// the score. It depends on the rows in the other two roles: for tails it is
// q_j = Σ sign·h_i·r_k, for heads p_i = Σ sign·r_k·t_j.
func (m Mixer) Mix(to kernel.Table, as Role, of ByRole, n int) {
	x, y := as.others()
	for _, t := range m.terms {
		m.kernels.MulAdd(chunk(to, t.columns[as]), chunk(of[x], t.columns[x]),
			chunk(of[y], t.columns[y]), n, m.width, t.sign)
	}
}

// MixGradient propagates the gradient of queries back to the rows that Mix read.
func (m Mixer) MixGradient(gradient kernel.Table, as Role, of, to ByRole, n int) {
	x, y := as.others()
	of[as] = gradient // the score is linear in each role, so its derivatives are mixtures too
	m.Mix(to[x], x, of, n)
	m.Mix(to[y], y, of, n)
}

// chunk returns the part of a table from the given column.
func chunk(t kernel.Table, column int) kernel.Table {
	return kernel.Table{Data: t.Data[column:], Stride: t.Stride}
}
