package structure

import (
	"fmt"
	"math/big"
)

// Count returns the number of classes of k×k structures under the group, in total and by
// number of nonzero cells: byNonzeros[b] for b = 0…k². It is
// exact (Burnside's lemma over the conjugacy classes of the group) and fails
// only for k outside 1…MaxK or an unknown group.
func Count(k int, g Group) (total *big.Int, byNonzeros []*big.Int, err error) {
	if k < 1 || k > MaxK {
		return nil, nil, fmt.Errorf("cannot count structures with k = %d; k goes from 1 to %d", k, MaxK)
	}
	if g != Full && g != Paper {
		return nil, nil, fmt.Errorf("cannot count under %v; the groups are full and paper", g)
	}
	valueTypes := signedCycleTypes(k, true)
	entityTypes := signedCycleTypes(k, g == Full)

	byNonzeros = zeros(k*k + 1)
	groupOrder := new(big.Int)
	for _, entities := range entityTypes {
		cells := entities.cellCycles()
		for _, values := range valueTypes {
			elements := new(big.Int).Mul(entities.elements(g == Full), values.elements(true))
			groupOrder.Add(groupOrder, elements)
			for nonzeros, fixed := range fixedMatrices(k, cells, values) {
				byNonzeros[nonzeros].Add(byNonzeros[nonzeros], fixed.Mul(fixed, elements))
			}
		}
	}
	total = new(big.Int)
	for _, count := range byNonzeros {
		count.Quo(count, groupOrder)
		total.Add(total, count)
	}
	return total, byNonzeros, nil
}

// fixedMatrices counts, by number of nonzeros, the matrices that one group
// element maps to themselves. All cells of a cycle follow from one of them,
// whose value v must map to itself after one pass around the cycle.
func fixedMatrices(k int, cells, values cycleType) []*big.Int {
	polynomial := zeros(k*k + 1)
	polynomial[0].SetInt64(1)
	degree := 0
	for cell, times := range cells {
		choices := big.NewInt(values.fixedPoints(cell))
		for range times {
			degree += cell.length
			for n := degree; n >= cell.length; n-- {
				term := new(big.Int).Mul(polynomial[n-cell.length], choices)
				polynomial[n].Add(polynomial[n], term)
			}
		}
	}
	return polynomial
}

// signedCycle is a cycle of a signed permutation. One pass around it maps the start to itself or
// to its negative.
type signedCycle struct {
	length   int
	negative bool
}

// cycleType holds the number of cycles of each kind of a signed permutation. It identifies
// a conjugacy class.
type cycleType map[signedCycle]int

// signedCycleTypes lists the cycle types of the permutations of n things, or
// of the signed permutations.
func signedCycleTypes(n int, signed bool) []cycleType {
	var kinds []signedCycle
	for length := 1; length <= n; length++ {
		kinds = append(kinds, signedCycle{length, false})
		if signed {
			kinds = append(kinds, signedCycle{length, true})
		}
	}
	var types []cycleType
	current := cycleType{}
	var fill func(rest int, kinds []signedCycle)
	fill = func(rest int, kinds []signedCycle) {
		if rest == 0 {
			complete := cycleType{}
			for kind, times := range current {
				if times > 0 {
					complete[kind] = times
				}
			}
			types = append(types, complete)
			return
		}
		if len(kinds) == 0 {
			return
		}
		for times := 0; times*kinds[0].length <= rest; times++ {
			current[kinds[0]] = times
			fill(rest-times*kinds[0].length, kinds[1:])
		}
		delete(current, kinds[0])
	}
	fill(n, kinds)
	return types
}

// elements returns the number of (signed) permutations of this type.
func (c cycleType) elements(signed bool) *big.Int {
	things, centralizer := 0, big.NewInt(1)
	for kind, times := range c {
		things += kind.length * times
		symmetries := int64(kind.length) // turns of one cycle,
		if signed {
			symmetries *= 2 // each with or without a change of all signs
		}
		for n := range times {
			centralizer.Mul(centralizer, big.NewInt(symmetries*int64(n+1)))
		}
	}
	order := new(big.Int).MulRange(1, int64(things))
	if signed {
		order.Lsh(order, uint(things))
	}
	return order.Quo(order, centralizer)
}

// cellCycles returns the cycle type of the action A_ij → s_i s_j A_ij, moved from
// (i,j) to (σ(i),σ(j)), on the cells of a matrix.
func (c cycleType) cellCycles() cycleType {
	cells := cycleType{}
	for row, rows := range c {
		for column, columns := range c {
			common := int(gcd(int64(row.length), int64(column.length)))
			length := row.length / common * column.length
			cell := signedCycle{length, row.negativeAfter(length) != column.negativeAfter(length)}
			cells[cell] += common * rows * columns
		}
	}
	return cells
}

// fixedPoints returns the number of nonzero values v that return as v after a
// cell's cycle, when every step of it applies a permutation of this type to
// the values.
func (c cycleType) fixedPoints(cell signedCycle) int64 {
	count := 0
	for kind, times := range c {
		if cell.length%kind.length == 0 && kind.negativeAfter(cell.length) == cell.negative {
			count += 2 * kind.length * times // v and -v
		}
	}
	return int64(count)
}

// negativeAfter returns the sign after that many steps, a multiple of the length.
func (c signedCycle) negativeAfter(steps int) bool {
	return c.negative && steps/c.length%2 == 1
}

func zeros(n int) []*big.Int {
	numbers := make([]*big.Int, n)
	for i := range numbers {
		numbers[i] = new(big.Int)
	}
	return numbers
}
