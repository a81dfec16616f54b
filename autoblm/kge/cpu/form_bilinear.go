package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

var (
	bilinearArithmetic = arithmetic{
		newHop:     newMixture,
		newMeasure: func(int) tiles.Measure { return tiles.Products{} },
	}
	_ = register(form.Bilinear, bilinearArithmetic)
	_ = register(form.Diag, bilinearArithmetic)
)

// role is a position in a triple.
type role int

const (
	asHead role = iota
	asRelation
	asTail
)

func (r role) others() (role, role) { return (r + 1) % 3, (r + 2) % 3 }

// mixture computes qᵀ g(A,r) for rows of a fixed dimension, without storing the matrix g(A,r).
type mixture struct {
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

func newMixture(k *kernel.Set, s structure.Structure, dim int) hop {
	m := mixture{kernels: k, width: dim / s.K()}
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

// byRole holds a table for each role with one row for each triple: its embedding, or the
// gradient of that.
type byRole [3]kernel.Table

// mix adds to each of n rows the query whose scalar product with the row in the given role is
// the score. It depends on the rows in the other two roles: for tails it is
// q_j = Σ sign·h_i·r_k, for heads p_i = Σ sign·r_k·t_j.
func (m mixture) mix(to kernel.Table, as role, of byRole, n int) {
	x, y := as.others()
	for _, t := range m.terms {
		m.kernels.MulAdd(columnsFrom(to, t.columns[as]), columnsFrom(of[x], t.columns[x]),
			columnsFrom(of[y], t.columns[y]), n, m.width, t.sign)
	}
}

// mixGradient propagates the gradient of queries back to the rows that mix read.
func (m mixture) mixGradient(gradient kernel.Table, as role, of, to byRole, n int) {
	x, y := as.others()
	of[as] = gradient // the score is linear in each role, so its derivatives are mixtures too
	m.mix(to[x], x, of, n)
	m.mix(to[y], y, of, n)
}

// columnsFrom returns the part of a table from the given column.
func columnsFrom(t kernel.Table, column int) kernel.Table {
	return kernel.Table{Data: t.Data[column:], Stride: t.Stride}
}

// roles returns the roles in a triple of a state before and after a hop.
func (mixture) roles(transposed bool) (from, to role) {
	if transposed {
		return asTail, asHead
	}
	return asHead, asTail
}

// Step implements [hop].
func (h mixture) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	before, after := h.roles(transposed)
	factors := byRole{asRelation: relations[0]}
	factors[before] = from
	h.mix(to, after, factors, n)
}

// Back implements [hop].
func (h mixture) Back(
	gradient, from kernel.Table, relations []kernel.Table, to hopGradients, n int, transposed bool,
) {
	before, after := h.roles(transposed)
	factors := byRole{asRelation: relations[0]}
	gradients := byRole{asRelation: to.relations[0]}
	factors[before], gradients[before] = from, to.from
	h.mixGradient(gradient, after, factors, gradients, n)
}

// AskRelations implements [relationAsker].
func (h mixture) AskRelations(to, heads, tails kernel.Table, n int) {
	h.mix(to, asRelation, byRole{asHead: heads, asTail: tails}, n)
}

// AskRelationsBack implements [relationAsker].
func (h mixture) AskRelationsBack(
	gradient, heads, tails, gradHeads, gradTails kernel.Table, n int,
) {
	factors := byRole{asHead: heads, asTail: tails}
	gradients := byRole{asHead: gradHeads, asTail: gradTails}
	h.mixGradient(gradient, asRelation, factors, gradients, n)
}
