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
		tensor := polynomial{}
		for n, m := range all {
			tensor.add(m, dual[n].times(m.factorials()))
		}
		support = append(support, tensor.byVariable(variables, func(int) integer { return whole(1) })...)
	}
	basis, _ := support.reduce()
	return basis.clone()
}

// vertex returns the space of the directions in which no form changes.
func vertex(forms []polynomial, variables int) matrix {
	var conditions matrix
	for _, form := range forms {
		exponent := func(n int) integer { return whole(int64(n)) }
		conditions = append(conditions, form.byVariable(variables, exponent)...)
	}
	return conditions.kernel(variables)
}

// byVariable divides the monomials by each of their variables. A row has the coefficients of one
// quotient, by variable, times a factor that depends on the exponent of the variable.
func (p polynomial) byVariable(variables int, factor func(exponent int) integer) (all matrix) {
	rows := map[monomial]vector{}
	for m, coefficient := range p {
		for v := range variables {
			if m.exponent(v) == 0 {
				continue
			}
			quotient := m - variable(v)
			if rows[quotient] == nil {
				rows[quotient] = make(vector, variables)
			}
			rows[quotient][v] = coefficient.times(factor(m.exponent(v)))
		}
	}
	for _, row := range rows {
		all = append(all, row)
	}
	return all
}
