package linear

import "strings"

// mostDeterminantK bounds the structures whose determinants are looked at; the
// forms below grow too large beyond.
const mostDeterminantK = 4

// describeDeterminants writes the inertia of quadratic forms made of F(r) = det D(r)
// and of det(D(r) + D(r)ᵀ), D(r) being the matrix of f at r. P and Q multiply F by
// det(P)², which is positive, and change r by Q. So for even K the form p ↦ p²(∂)F
// on polynomials p of degree K/2, the catalecticant, keeps its inertia. For K = 3
// the degree of F is odd, and f itself as one more factor makes it even.
func describeDeterminants(f tensor) string {
	var text strings.Builder
	for _, g := range []tensor{f, f.plus(f.swapped(), 1)} {
		determinant := polynomial{}
		if f.k <= mostDeterminantK {
			determinant = minor(g.openMatrix(relation, head, tail), subsets(g.k, g.k)[0],
				subsets(g.k, g.k)[0])
		}
		switch {
		case len(determinant) == 0:
			text.WriteByte('0')
		case f.k%2 == 0:
			determinant.catalecticant(monomials(0, f.k, f.k/2)).describeInertia(&text)
		case f.k == 3:
			for _, form := range cubicForms(determinant, f) {
				form.plus(form.flipped(), 1).describeInertia(&text)
			}
		}
	}
	return text.String()
}

// derivative returns m(∂) of p, for a monomial of p's degree.
func (p polynomial) derivative(m monomial) integer { return p[m].times(m.factorials()) }

// catalecticant returns the form p ↦ p²(∂)F in the basis of all monomials of half F's degree.
func (p polynomial) catalecticant(basis []monomial) matrix {
	form := newMatrix(len(basis), len(basis))
	for i, a := range basis {
		for j, b := range basis {
			form[i][j] = p.derivative(a + b)
		}
	}
	return form
}

// cubicForms returns bilinear forms on tensors p⊗q⊗x of two relations and an entity,
// each a sum of products F(·,·,·)·f(·,·,·) into which the arguments are put in another
// way, F being the cubic as a trilinear form.
func cubicForms(cubic polynomial, f tensor) []matrix {
	k := f.k
	polar := func(a, b, c int) integer {
		return cubic.derivative(variable(a) + variable(b) + variable(c))
	}
	plain, both := f.table(), f.plus(f.swapped(), 1).table()
	at := func(table vector, head, relation, tail int) integer {
		return table[(head*k+relation)*k+tail]
	}
	forms := []matrix{newMatrix(k*k*k, k*k*k), newMatrix(k*k*k, k*k*k), newMatrix(k*k*k, k*k*k)}
	for row := range k * k * k {
		p, q, x := row/k/k, row/k%k, row%k
		for column := range k * k * k {
			r, s, y := column/k/k, column/k%k, column%k
			forms[0][row][column] = polar(p, q, r).times(at(plain, x, s, y))
			forms[1][row][column] = polar(p, q, r).times(at(plain, y, s, x))
			forms[2][row][column] = polar(p, q, r).times(at(both, x, s, y)).plus(
				polar(p, q, s).times(at(both, x, r, y)))
		}
	}
	return forms
}
