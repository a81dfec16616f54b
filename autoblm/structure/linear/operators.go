package linear

import (
	"fmt"
	"strings"
)

// summand is sign·f(h,r,t), or sign·f(t,r,h) when it is swapped, with an operator,
// counted from 0, before the argument that is called h, r or t.
type summand struct {
	sign     int64
	operator int
	before   argument
	swapped  bool
}

// family is the tuples of operators for which sums of summands are 0 for all h, r
// and t. Operators on entities come first, one on relations last.
type family struct {
	onEntities, onRelations int
	equations               [][]summand
}

// families are written with X and Z for operators on entities, Y on relations.
var families = []family{
	// Derivations: f(Xh,r,t) + f(h,Yr,t) + f(h,r,Xt) = 0.
	{1, 1, [][]summand{{{1, 0, head, false}, {1, 1, relation, false}, {1, 0, tail, false}}}},
	// Derivations with head and tail apart: f(Xh,r,t) + f(h,Yr,t) + f(h,r,Zt) = 0.
	{2, 1, [][]summand{{{1, 0, head, false}, {1, 2, relation, false}, {1, 1, tail, false}}}},
	// The centroid: f(Xh,r,t) = f(h,Yr,t) = f(h,r,Zt).
	{2, 1, [][]summand{
		{{1, 0, head, false}, {-1, 2, relation, false}},
		{{1, 1, tail, false}, {-1, 2, relation, false}},
	}},
	// Adjoint pairs with f(t,r,h) on one side: f(Xh,r,t) = f(Zt,r,h).
	{2, 0, [][]summand{{{1, 0, head, false}, {-1, 1, tail, true}}}},
}

// basis solves the equations. Each row has the operators one after the other,
// K×K numbers each: row a, column b of an operator is coordinate a of the image
// of unit vector b.
func (s family) basis(f tensor) matrix {
	k := f.k
	operators := s.onEntities + s.onRelations
	equations := newMatrix(len(s.equations)*k*k*k, operators*k*k)
	for n, equation := range s.equations {
		for _, summand := range equation {
			g := f
			if summand.swapped {
				g = f.swapped()
			}
			// The operator sends unit vector b to a with the number that is the unknown.
			for _, term := range g.terms {
				value := term.value.times(whole(summand.sign))
				at := term.at
				for b := range k {
					at[summand.before] = b
					row := equations[((n*k+at[head])*k+at[relation])*k+at[tail]]
					unknown := (summand.operator*k+term.at[summand.before])*k + b
					row[unknown] = row[unknown].plus(value)
				}
			}
		}
	}
	return equations.kernel(operators * k * k)
}

// describe writes the dimension of the family, and the inertia of trace forms on it
// and on the spaces that products of its operators span. A trace does not depend
// on a basis, and is taken of products of operators on one space.
func (s family) describe(f tensor) string {
	var text strings.Builder
	basis := s.basis(f)
	fmt.Fprint(&text, len(basis))
	operators := make([]matrix, s.onEntities+s.onRelations)
	for n := range operators {
		operators[n] = basis.columns(n*f.k*f.k, f.k*f.k)
		traceForm(operators[n], operators[n], f.k).describeInertia(&text)
	}
	if s.onEntities == 2 {
		x, z := operators[0], operators[1]
		crossed := traceForm(x, z, f.k)
		crossed.plus(crossed.flipped(), 1).describeInertia(&text)
		for _, spanning := range []matrix{products(x, z, f.k), products(z, x, f.k)} {
			space, _ := spanning.reduce()
			fmt.Fprint(&text, len(space))
			traceForm(space, space, f.k).describeInertia(&text)
		}
	}
	return text.String()
}

func (m matrix) describeInertia(text *strings.Builder) {
	positive, negative := m.inertia()
	fmt.Fprintf(text, "(%d,%d)", positive, negative)
}

// traceForm has the traces of a·b for operators of two lists, k×k numbers each.
func traceForm(a, b matrix, k int) matrix {
	form := newMatrix(len(a), len(b))
	for i, left := range a {
		for j, right := range b {
			for n, number := range left {
				if other := right[n%k*k+n/k]; !number.isZero() && !other.isZero() {
					form[i][j] = form[i][j].plus(number.times(other))
				}
			}
		}
	}
	return form
}

// products lists a·b for all operators of two lists.
func products(a, b matrix, k int) (all matrix) {
	for _, left := range a {
		for _, right := range b {
			all = append(all, product(left, right, k))
		}
	}
	return all
}

func product(a, b vector, k int) vector {
	out := make(vector, k*k)
	for n, number := range a {
		if number.isZero() {
			continue
		}
		row, inner := n/k, n%k
		for column := range k {
			if other := b[inner*k+column]; !other.isZero() {
				out[row*k+column] = out[row*k+column].plus(number.times(other))
			}
		}
	}
	return out
}
