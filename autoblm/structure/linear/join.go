package linear

import (
	"cmp"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Root is the real number Sign·√Square; 0 is Root{}.
type Root struct{ Sign, Square int }

// Float returns the nearest float64.
func (r Root) Float() float64 { return float64(r.Sign) * math.Sqrt(float64(r.Square)) }

// Map joins a structure A to a structure B with as many chunks: P and Q are
// invertible, row by row, and f_A(Ph, r, Pt) = f_B(h, Qᵀr, t) for all chunks h, r
// and t, where Ph has the chunks (Ph)_i = Σ_j P_ij h_j.
type Map struct{ P, Q [][]Root }

// mostJoinK keeps the search below a minute.
const mostJoinK = 4

// Join searches a map that joins a to b, up to K = 4. It tries all P whose columns have
// entries in {-1,0,1}, times 1 or √2 each, and checks each exactly, which may take half a
// minute. A map that it finds is proved; to prove that none exists, see [Of].
//
// Statement: a and b are joined by P exactly when Pᵀ carries the span of a's matrices
// D_k to that of b's, D_k → PᵀD_kP; Q is then read off the cells. Source: new.
//
// Idea: choose one column of P after another, and give up as soon as a cell of
// PᵀD_kP is not what b's cell and the earlier cells of the same value allow.
func Join(a, b structure.Structure) (*Map, bool) {
	if a.K() != b.K() || a.K() > mostJoinK || len(values(a)) != len(values(b)) {
		return nil, false
	}
	s := joinSearch{k: a.K(), source: values(a), target: b}
	for _, x := range signVectors(s.k) {
		for _, square := range []int{1, 2} {
			s.choices = append(s.choices, column{x, square})
		}
	}
	s.pair(a)
	return s.extend(partial{})
}

// values returns the relation chunks that occur.
func values(s structure.Structure) map[int]bool {
	occurring := map[int]bool{}
	for i := range s.K() {
		for j := range s.K() {
			if value := s.At(i, j); value != 0 {
				occurring[max(value, -value)] = true
			}
		}
	}
	return occurring
}

// column is √square times a vector.
type column struct {
	entries []int
	square  int
}

// joinSearch chooses columns of P.
type joinSearch struct {
	k       int
	source  map[int]bool // the relation chunks that occur in a
	target  structure.Structure
	choices []column
	paired  []int // xᵀD_k·y for choices x and y, at (x·len(choices)+y)·K+k, without the roots
}

// partial holds some columns of P and the columns of Q that they determine.
type partial struct {
	columns int
	p       [mostJoinK]int // choices
	q       [mostJoinK][mostJoinK]Root
	known   [mostJoinK]bool // columns of q
}

func (s *joinSearch) pair(a structure.Structure) {
	signs := a.SignTensor()
	for _, x := range s.choices {
		for _, y := range s.choices {
			for relation := range s.k {
				sum := 0
				for i, left := range x.entries {
					for j, right := range y.entries {
						sum += left * int(signs[(i*s.k+relation)*s.k+j]) * right
					}
				}
				s.paired = append(s.paired, sum)
			}
		}
	}
}

func (s *joinSearch) extend(before partial) (*Map, bool) {
	if before.columns == s.k {
		return s.finish(before)
	}
	for choice := range s.choices {
		next := before
		next.p[next.columns] = choice
		next.columns++
		if s.fits(&next) {
			if found, ok := s.extend(next); ok {
				return found, true
			}
		}
	}
	return nil, false
}

// fits checks the cells that the last column decides, and learns Q from them.
func (s *joinSearch) fits(p *partial) bool {
	last := p.columns - 1
	for n := range p.columns {
		if !s.cellFits(p, n, last) || !s.cellFits(p, last, n) {
			return false
		}
	}
	return true
}

func (s *joinSearch) cellFits(p *partial, i, j int) bool {
	x, y := p.p[i], p.p[j]
	products := s.paired[(x*len(s.choices)+y)*s.k:][:s.k]
	value := s.target.At(i, j)
	if value == 0 {
		return !slices.ContainsFunc(products, func(product int) bool { return product != 0 })
	}
	chunk := max(value, -value) - 1
	for relation, product := range products {
		entry := Root{cmp.Compare(product*value, 0),
			product * product * s.choices[x].square * s.choices[y].square}
		if p.known[chunk] && p.q[relation][chunk] != entry {
			return false
		}
		p.q[relation][chunk] = entry
	}
	p.known[chunk] = true
	return true
}

// finish returns the map if P is invertible. Then Q is invertible too, except for the chunks
// that occur in neither structure; finish pairs those in order.
func (s *joinSearch) finish(p partial) (*Map, bool) {
	entries := newMatrix(s.k, s.k)
	found := &Map{P: make([][]Root, s.k), Q: make([][]Root, s.k)}
	for i := range s.k {
		for j := range s.k {
			choice := s.choices[p.p[j]]
			entries[i][j] = whole(int64(choice.entries[i]))
			entry := Root{choice.entries[i], choice.square}
			if entry.Sign == 0 {
				entry.Square = 0
			}
			found.P[i] = append(found.P[i], entry)
		}
		found.Q[i] = slices.Clone(p.q[i][:s.k])
	}
	if entries.rank() < s.k {
		return nil, false
	}
	absent := 0
	for chunk, known := range p.known[:s.k] {
		if known {
			continue
		}
		for s.source[absent+1] {
			absent++
		}
		found.Q[absent][chunk] = Root{1, 1}
		absent++
	}
	return found, true
}

// signVectors lists {-1,0,1}^k without 0.
func signVectors(k int) [][]int {
	all := [][]int{nil}
	for range k {
		var longer [][]int
		for _, vector := range all {
			for entry := -1; entry <= 1; entry++ {
				longer = append(longer, append(slices.Clip(vector), entry))
			}
		}
		all = longer
	}
	return slices.Delete(all, len(all)/2, len(all)/2+1)
}
