// Package mix makes queries of rows as a structure says, and carries gradients by
// queries back.
package mix

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Role is one of the places in a triple.
type Role int

// The roles.
const (
	AsHead Role = iota
	AsRelation
	AsTail
)

func (r Role) others() (Role, Role) { return (r + 1) % 3, (r + 2) % 3 }

// Mixer is a structure for rows of a dimension.
type Mixer struct {
	kernels *kernel.Set
	width   int // of a chunk, d/K
	terms   []term
}

// term is one nonzero of the structure, sign·⟨h_i, r_k, t_j⟩, with the columns at
// which the chunks begin.
type term struct {
	columns [3]int // by role
	sign    float32
}

// New is the mixer of a structure, whose K divides dim.
func New(k *kernel.Set, s structure.Structure, dim int) Mixer {
	m := Mixer{kernels: k, width: dim / s.K()}
	for i := range s.K() {
		for j := range s.K() {
			switch value := s.At(i, j); {
			case value > 0:
				m.terms = append(m.terms, term{[3]int{i * m.width, (value - 1) * m.width, j * m.width}, 1})
			case value < 0:
				m.terms = append(m.terms, term{[3]int{i * m.width, (-value - 1) * m.width, j * m.width}, -1})
			}
		}
	}
	return m
}

// ByRole has a row for each of some triples in each role: its embedding, or the
// gradient by it.
type ByRole [3]kernel.Table

// Mix adds to each of n rows the vector whose scalar product with the row in the
// given role is the score; it is made of the rows in the other two roles. As a
// tail that is q_j = Σ sign·h_i·r_k, as a head p_i = Σ sign·r_k·t_j.
func (m Mixer) Mix(to kernel.Table, as Role, of ByRole, n int) {
	x, y := as.others()
	for _, t := range m.terms {
		m.kernels.MulAdd(chunk(to, t.columns[as]), chunk(of[x], t.columns[x]), chunk(of[y], t.columns[y]), n, m.width, t.sign)
	}
}

// MixGradient carries the gradient by what Mix made to the rows it was made of.
func (m Mixer) MixGradient(gradient kernel.Table, as Role, of, to ByRole, n int) {
	x, y := as.others()
	of[as] = gradient // the score is linear in each role, so its derivatives are mixed like it
	m.Mix(to[x], x, of, n)
	m.Mix(to[y], y, of, n)
}

// chunk is the part of a table from the given column on.
func chunk(t kernel.Table, column int) kernel.Table {
	return kernel.Table{Data: t.Data[column:], Stride: t.Stride}
}
