package linear

import "github.com/autoblm/autoblm-go/autoblm/structure"

// tensor is a trilinear form f(h,r,t) of entity coordinates h and t and relation
// coordinates r, K of each. P changes those of entities, Q those of relations.
type tensor struct {
	k     int
	terms []coefficient // those that are not 0
}

// argument is one of the three arguments of f.
type argument int

const (
	head argument = iota
	relation
	tail
)

// coefficient is f of three unit vectors.
type coefficient struct {
	at    [3]int // head, relation, tail
	value integer
}

func signTensor(s structure.Structure) tensor {
	k := s.K()
	f := tensor{k: k}
	for n, sign := range s.SignTensor() {
		if sign != 0 {
			f.terms = append(f.terms, coefficient{[3]int{n / k / k, n / k % k, n % k}, whole(int64(sign))})
		}
	}
	return f
}

// swapped returns f(t,r,h).
func (f tensor) swapped() tensor {
	out := tensor{f.k, make([]coefficient, len(f.terms))}
	for n, term := range f.terms {
		out.terms[n] = coefficient{[3]int{term.at[tail], term.at[relation], term.at[head]}, term.value}
	}
	return out
}

// plus returns f + factor·g.
func (f tensor) plus(g tensor, factor int64) tensor {
	sum := f.table()
	for n, value := range g.table() {
		sum[n] = sum[n].plus(value.times(whole(factor)))
	}
	return fromTable(f.k, sum)
}

// table has all coefficients, that of the unit vectors i, r, j in place (i·k+r)·k+j.
func (f tensor) table() vector {
	table := make(vector, f.k*f.k*f.k)
	for _, term := range f.terms {
		table[(term.at[head]*f.k+term.at[relation])*f.k+term.at[tail]] = term.value
	}
	return table
}

func fromTable(k int, table vector) tensor {
	f := tensor{k: k}
	for n, value := range table {
		if !value.isZero() {
			f.terms = append(f.terms, coefficient{[3]int{n / k / k, n / k % k, n % k}, value})
		}
	}
	return f
}

// times returns the value of a term with some coordinates given; nil leaves an argument open.
func (c coefficient) times(h, r, t vector) integer {
	value := c.value
	for n, coordinates := range [...]vector{h, r, t} {
		if coordinates != nil {
			value = value.times(coordinates[c.at[n]])
		}
	}
	return value
}
