package linear

import (
	"cmp"
	"fmt"
	"iter"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// TestCensus checks the table of the package comment: the number of invariants is a lower bound of
// the number of structures up to linear maps, and the number of classes left after explicit maps
// is an upper bound.
func TestCensus(t *testing.T) {
	for _, test := range []struct {
		k, mostNonzeros           int
		degenerate                bool
		classes, invariants, left int
	}{
		{2, 4, false, 20, 12, 12},
		{2, 4, true, 41, 24, 24},
		{3, 5, false, 647, 455, 455},
		{3, 4, true, 569, 286, 286},
	} {
		name := fmt.Sprintf("K=%d, up to %d nonzeros, degenerate %v", test.k, test.mostNonzeros,
			test.degenerate)
		t.Run(name, func(t *testing.T) {
			var classes []structure.Structure
			for nonzeros := range test.mostNonzeros + 1 {
				for s := range structure.Classes(test.k, nonzeros, structure.Full) {
					if test.degenerate || !s.Degenerate() {
						classes = append(classes, s)
					}
				}
			}
			first := map[Invariant]structure.Structure{}
			groups := join(classes)
			left := map[structure.Structure]Invariant{}
			for _, s := range classes {
				invariant, group := Of(s), groups.of(s)
				first[invariant] = s
				if known, ok := left[group]; ok && known != invariant {
					t.Fatalf("maps join %s with another structure, but their invariants differ:\n%v\n%v", s,
						invariant, known)
				}
				left[group] = invariant
			}
			if len(classes) != test.classes || len(first) != test.invariants || len(left) != test.left {
				t.Errorf("%d classes, %d invariants, %d classes after joins; the package comment says %d, %d "+
					"and %d",
					len(classes), len(first), len(left), test.classes, test.invariants, test.left)
			}
		})
	}
}

// groups maps a structure to another one of its group; the last has no entry.
type groups map[structure.Structure]structure.Structure

func (g groups) of(s structure.Structure) structure.Structure {
	for next, ok := g[s]; ok; next, ok = g[s] {
		s = next
	}
	return s
}

// join puts structures into one group if small maps join them, possibly through others that are
// not in the list.
func join(classes []structure.Structure) groups {
	g := groups{}
	for _, s := range classes {
		for _, basis := range smallBases(s.K()) {
			for image := range imagesUnder(s, basis) {
				from, to := g.of(s), g.of(image.Canonical(structure.Full))
				if from != to {
					g[from] = to
				}
			}
		}
	}
	return g
}

// smallBases lists the bases of vectors in {-1,0,1}^k, up to order and signs.
func smallBases(k int) [][][]int {
	var vectors [][]int
	for code := range power(3, k) {
		vector := make([]int, k)
		first := 0
		for i := range vector {
			vector[i] = code%3 - 1
			code /= 3
			if first == 0 {
				first = vector[i]
			}
		}
		if first > 0 {
			vectors = append(vectors, vector)
		}
	}
	var bases [][][]int
	for _, choice := range subsets(len(vectors), k) {
		basis := make([][]int, k)
		m := newMatrix(k, k)
		for i, n := range choice {
			basis[i] = vectors[n]
			for j, x := range vectors[n] {
				m[i][j] = whole(int64(x))
			}
		}
		if m.rank() == k {
			bases = append(bases, basis)
		}
	}
	return bases
}

func power(base, exponent int) int {
	product := 1
	for range exponent {
		product *= base
	}
	return product
}

// imagesUnder yields the structures that s becomes after a change of basis, whose vectors may be
// multiplied by 1 or √2. There is one if the space of s's matrices then has a basis of matrices
// over {0,±1}, up to a factor each, with no common nonzero cells. If so, the reduced basis is one.
func imagesUnder(s structure.Structure, basis [][]int) iter.Seq[structure.Structure] {
	k := s.K()
	matrices := newMatrix(k, k*k)
	for i := range k {
		for j := range k {
			value := s.At(i, j)
			for a := range k {
				for b := range k {
					if value != 0 {
						cell := &matrices[max(value, -value)-1][a*k+b]
						*cell = cell.plus(whole(int64(cmp.Compare(value, 0) * basis[a][i] * basis[b][j])))
					}
				}
			}
		}
	}
	reduced, _ := matrices.reduce()
	image, disjoint := structure.Zero(k), true
	for n, row := range reduced {
		for cell, number := range row {
			if !number.isZero() {
				disjoint = disjoint && image.At(cell/k, cell%k) == 0
				image = image.With(cell/k, cell%k, (n+1)*number.sign())
			}
		}
	}
	return func(yield func(structure.Structure) bool) {
		for scales := range power(2, k) {
			square := func(chunk int) int64 { return 1 + int64(scales>>chunk&1) }
			equal := disjoint
			for _, row := range reduced {
				size := int64(0)
				for cell, number := range row {
					squared := number.word * number.word * square(cell/k) * square(cell%k)
					equal = equal && number.large == nil && (squared == 0 || size == 0 || squared == size)
					size = max(size, squared)
				}
			}
			if equal && !yield(image) {
				return
			}
		}
	}
}
