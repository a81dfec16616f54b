package linear

import "slices"

// mostMinorSize bounds the minors that are looked at: from K = 5 on there are too
// many of size 3.
func mostMinorSize(k int) int {
	if k <= 4 {
		return min(k, 3)
	}
	return 2
}

// polynomial maps monomials to coefficients that are not 0.
type polynomial map[monomial]integer

// monomial has the exponent of variable v, below 16, in the bits from 4v on.
type monomial uint64

func variable(v int) monomial { return 1 << (4 * v) }

func (m monomial) exponent(v int) int { return int(m >> (4 * v) & 15) }

// factorials returns the product of the factorials of the exponents.
func (m monomial) factorials() integer {
	product := int64(1)
	for ; m > 0; m >>= 4 {
		for n := int64(m & 15); n > 1; n-- {
			product *= n
		}
	}
	return whole(product)
}

// monomials lists those of a degree in the variables from first to before end.
func monomials(first, end, degree int) []monomial {
	if degree == 0 {
		return []monomial{0}
	}
	var all []monomial
	for v := first; v < end; v++ {
		for _, rest := range monomials(v, end, degree-1) {
			all = append(all, rest+variable(v))
		}
	}
	return all
}

func (p polynomial) add(m monomial, coefficient integer) {
	if sum := p[m].plus(coefficient); sum.isZero() {
		delete(p, m)
	} else {
		p[m] = sum
	}
}

func (p polynomial) times(q polynomial) polynomial {
	product := polynomial{}
	for a, x := range p {
		for b, y := range q {
			product.add(a+b, x.times(y))
		}
	}
	return product
}

// openMatrix returns the matrix of f whose cells are linear forms in one argument; the other
// two are the rows and columns.
func (f tensor) openMatrix(open, down, across argument) [][]polynomial {
	m := make([][]polynomial, f.k)
	for row := range m {
		m[row] = make([]polynomial, f.k)
		for column := range m[row] {
			m[row][column] = polynomial{}
		}
	}
	for _, term := range f.terms {
		m[term.at[down]][term.at[across]].add(variable(term.at[open]), term.value)
	}
	return m
}

// minors lists the minors of a size that are not 0.
func minors(m [][]polynomial, size int) []polynomial {
	var all []polynomial
	choices := subsets(len(m), size)
	for _, rows := range choices {
		for _, columns := range choices {
			if p := minor(m, rows, columns); len(p) > 0 {
				all = append(all, p)
			}
		}
	}
	return all
}

// minor expands along the first row.
func minor(m [][]polynomial, rows, columns []int) polynomial {
	if len(rows) == 1 {
		return m[rows[0]][columns[0]]
	}
	sum := polynomial{}
	for n, column := range columns {
		cell := m[rows[0]][column]
		if len(cell) == 0 {
			continue
		}
		rest := minor(m, rows[1:], slices.Delete(slices.Clone(columns), n, n+1))
		for monomial, coefficient := range cell.times(rest) {
			if n%2 == 1 {
				coefficient = coefficient.negative()
			}
			sum.add(monomial, coefficient)
		}
	}
	return sum
}

// subsets lists the subsets of 0…n-1 of a size, in order.
func subsets(n, size int) [][]int {
	if size == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for last := size - 1; last < n; last++ {
		for _, rest := range subsets(last, size-1) {
			all = append(all, append(rest, last))
		}
	}
	return all
}

// dualSupport returns the smallest space whose symmetric tensors have all those that
// the forms of a degree, as linear functions on symmetric tensors, send to 0. It has the
// zeros of the forms.
func dualSupport(forms []polynomial, variables, degree int) matrix {
	all := monomials(0, variables, degree)
	place := make(map[monomial]int, len(all))
	for n, m := range all {
		place[m] = n
	}
	// A form pairs with a tensor, written as a polynomial, by differentiation.
	conditions := newMatrix(len(forms), len(all))
	for n, form := range forms {
		for m, coefficient := range form {
			conditions[n][place[m]] = coefficient.times(m.factorials())
		}
	}
	var support matrix
	for _, dual := range conditions.kernel(len(all)) {
		// The derivatives of order degree-1 are vectors of the support.
		rows := map[monomial]vector{}
		for n, m := range all {
			if dual[n].isZero() {
				continue
			}
			for v := range variables {
				if m.exponent(v) == 0 {
					continue
				}
				by := m - variable(v)
				if rows[by] == nil {
					rows[by] = make(vector, variables)
				}
				rows[by][v] = dual[n].times(m.factorials())
			}
		}
		for _, row := range rows {
			support = append(support, row)
		}
	}
	basis, _ := support.reduce()
	return basis.clone()
}

// vertex returns the space of the directions in which no form changes.
func vertex(forms []polynomial, variables int) matrix {
	var conditions matrix
	for _, form := range forms {
		rows := map[monomial]vector{} // the coefficients of a derivative's monomial, by direction
		for m, coefficient := range form {
			for v := range variables {
				if m.exponent(v) == 0 {
					continue
				}
				of := m - variable(v)
				if rows[of] == nil {
					rows[of] = make(vector, variables)
				}
				rows[of][v] = coefficient.times(whole(int64(m.exponent(v))))
			}
		}
		for _, row := range rows {
			conditions = append(conditions, row)
		}
	}
	return conditions.kernel(variables)
}
