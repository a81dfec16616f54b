package linear

import (
	"fmt"
	"slices"
	"strings"
)

// mostSubspaces bounds either list of subspaces. The lists are made by the same
// steps for joined structures, so they may be cut anywhere.
const mostSubspaces = 12

// subspaces are spaces of entity coordinates and of relation coordinates that f
// singles out without a basis. The maps that join two structures carry the lists
// of one to those of the other, place by place.
type subspaces struct {
	f                   tensor
	entities, relations []matrix // reduced bases
}

// canonicalSubspaces begins with the whole spaces, with the relations whose
// matrices are symmetric or skew, and with what the minors of f's matrices single
// out. Then it adds annihilators.
func canonicalSubspaces(f tensor) *subspaces {
	s := &subspaces{f: f}
	whole := identity(f.k)
	s.addEntities(whole)
	s.addRelations(whole)
	for _, sign := range []int64{-1, 1} {
		s.addRelations(f.plus(f.swapped(), sign).silent(relation, whole, nil, whole))
	}
	for size := 2; size <= mostMinorSize(f.k); size++ {
		for _, source := range []struct {
			add    func(matrix)
			minors []polynomial
		}{
			{s.addRelations, minors(f.openMatrix(relation, head, tail), size)},
			{s.addEntities, minors(f.openMatrix(head, relation, tail), size)},
			{s.addEntities, minors(f.openMatrix(tail, relation, head), size)},
		} {
			source.add(dualSupport(source.minors, f.k, size))
			source.add(vertex(source.minors, f.k))
		}
	}
	s.close()
	return s
}

func (s *subspaces) addEntities(basis matrix)  { s.entities = appendNew(s.entities, basis) }
func (s *subspaces) addRelations(basis matrix) { s.relations = appendNew(s.relations, basis) }

func appendNew(list []matrix, spanning matrix) []matrix {
	if len(list) == mostSubspaces {
		return list
	}
	basis, _ := spanning.reduce()
	if slices.ContainsFunc(list, basis.equals) {
		return list
	}
	return append(list, basis)
}

// close adds what pairs of subspaces give, until nothing new comes or the lists are full.
func (s *subspaces) close() {
	knownEntities, knownRelations := 0, 0
	for {
		entities, relations := len(s.entities), len(s.relations)
		if entities == knownEntities && relations == knownRelations ||
			entities == mostSubspaces && relations == mostSubspaces {
			return
		}
		for i, a := range s.entities[:entities] {
			for j, c := range s.relations[:relations] {
				if i >= knownEntities || j >= knownRelations {
					s.addEntities(s.f.silent(tail, a, c, nil))
					s.addEntities(s.f.silent(head, nil, c, a))
				}
			}
			for j, b := range s.entities[:entities] {
				if i >= knownEntities || j >= knownEntities {
					s.addRelations(s.f.silent(relation, a, nil, b))
				}
			}
		}
		knownEntities, knownRelations = entities, relations
	}
}

// silent returns the vectors of an argument with which f is 0 for all vectors of two subspaces in
// the other two arguments; the list of the open argument is ignored.
func (f tensor) silent(open argument, heads, relations, tails matrix) matrix {
	lists := [3]matrix{heads, relations, tails}
	lists[open] = matrix{nil}
	var conditions matrix
	for _, h := range lists[head] {
		for _, r := range lists[relation] {
			for _, t := range lists[tail] {
				conditions = append(conditions, f.linearForm(open, h, r, t))
			}
		}
	}
	return conditions.kernel(f.k)
}

// linearForm has the coefficients of f in the argument that is open.
func (f tensor) linearForm(open argument, h, r, t vector) vector {
	form := make(vector, f.k)
	for _, term := range f.terms {
		n := term.at[open]
		form[n] = form[n].plus(term.times(h, r, t))
	}
	return form
}

// describe writes the dimensions, and for f on every pair of subspaces the
// dimensions of the spaces of its matrices, of their symmetric and of their skew
// parts. Where f has only one matrix up to multiples, the inertia of its symmetric
// part follows, up to a change of sign.
func (s *subspaces) describe() string {
	var text strings.Builder
	for _, list := range [][]matrix{s.entities, s.relations} {
		for _, basis := range list {
			fmt.Fprint(&text, len(basis))
		}
		text.WriteByte(' ')
	}
	for _, a := range s.entities {
		for _, c := range s.relations {
			s.describeBlock(&text, a, c)
		}
		text.WriteByte(' ')
	}
	return text.String()
}

func (s *subspaces) describeBlock(text *strings.Builder, a, c matrix) {
	n := len(a)
	all, symmetric, skew := newMatrix(len(c), n*n), newMatrix(len(c), n*n), newMatrix(len(c), n*n)
	for m, r := range c {
		for i, h := range a {
			for j, t := range a {
				var value integer
				for _, term := range s.f.terms {
					value = value.plus(term.times(h, r, t))
				}
				all[m][i*n+j] = value
			}
		}
		for i := range n {
			for j := range n {
				there, back := all[m][i*n+j], all[m][j*n+i]
				symmetric[m][i*n+j] = there.plus(back)
				skew[m][i*n+j] = there.plus(back.negative())
			}
		}
	}
	matrices := all.rank()
	symmetric, _ = symmetric.reduce()
	fmt.Fprintf(text, "%d%d%d", matrices, len(symmetric), skew.rank())
	if matrices == 1 && len(symmetric) == 1 {
		form := make(matrix, n)
		for i := range form {
			form[i] = symmetric[0][i*n : (i+1)*n]
		}
		positive, negative := form.inertia()
		fmt.Fprintf(text, "(%d,%d)", max(positive, negative), min(positive, negative))
	}
}
