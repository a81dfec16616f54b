package structure

import (
	"iter"
	"slices"

	"pgregory.net/rapid"
)

// anyStructure draws a structure with minK to maxK chunks: sparse or dense, with few or many
// distinct values.
func anyStructure(minK, maxK int) *rapid.Generator[Structure] {
	return rapid.Custom(func(t *rapid.T) Structure {
		k := rapid.IntRange(minK, maxK).Draw(t, "k")
		largest := rapid.IntRange(1, k).Draw(t, "largest value")
		zeroPercent := rapid.SampledFrom([]int{0, 30, 60, 80, 95}).Draw(t, "zero percent")
		s := Zero(k)
		for i := range k {
			for j := range k {
				if rapid.IntRange(0, 99).Draw(t, "zero") >= zeroPercent {
					s = s.With(i, j, rapid.IntRange(-largest, largest).Draw(t, "cell"))
				}
			}
		}
		return s
	})
}

// everyStructure yields all k×k structures.
func everyStructure(k int) iter.Seq[Structure] {
	return func(yield func(Structure) bool) {
		var fill func(s Structure, cell int) bool
		fill = func(s Structure, cell int) bool {
			if cell == k*k {
				return yield(s)
			}
			for value := -k; value <= k; value++ {
				if !fill(s.With(cell/k, cell%k, value), cell+1) {
					return false
				}
			}
			return true
		}
		fill(Zero(k), 0)
	}
}

// element is a group element by the definition: position p of the new matrix takes entity chunk
// order[p] with sign flip[p], and the value v becomes rename[v].
type element struct {
	order, flip, rename []int
}

func (e element) apply(s Structure) Structure {
	out := Zero(s.K())
	for p, i := range e.order {
		for q, j := range e.order {
			value := e.flip[p] * e.flip[q] * s.At(i, j)
			out = out.With(p, q, sign(value)*e.rename[abs(value)])
		}
	}
	return out
}

func anyElement(k int, g Group) *rapid.Generator[element] {
	return rapid.Custom(func(t *rapid.T) element {
		chunks := make([]int, k)
		for i := range chunks {
			chunks[i] = i
		}
		e := element{flip: slices.Repeat([]int{1}, k), rename: make([]int, k+1)}
		e.order = rapid.Permutation(chunks).Draw(t, "order")
		for i, chunk := range rapid.Permutation(chunks).Draw(t, "rename") {
			e.rename[i+1] = (chunk + 1) * rapid.SampledFrom([]int{1, -1}).Draw(t, "sign")
			if g == Full {
				e.flip[i] = rapid.SampledFrom([]int{1, -1}).Draw(t, "flip")
			}
		}
		return e
	})
}

// keepsBlocks reports whether chunks c, c+K/size, c+2K/size, … stay together, for entities and for
// relations.
func (e element) keepsBlocks(size int) bool {
	blocks := len(e.order) / size
	for i, chunk := range e.order {
		if chunk%blocks != e.order[i%blocks]%blocks ||
			abs(e.rename[i+1])%blocks != abs(e.rename[i%blocks+1])%blocks {
			return false
		}
	}
	return true
}

// elementInBlocks draws an element that keeps blocks.
func elementInBlocks(k, size int, g Group) *rapid.Generator[element] {
	return rapid.Custom(func(t *rapid.T) element {
		e := anyElement(k, g).Draw(t, "signs")
		order := func(name string) (order []int) {
			blocks := make([]int, k/size)
			members := make([][]int, k/size)
			for i := range blocks {
				blocks[i] = i
			}
			for i := range k {
				members[i%len(blocks)] = append(members[i%len(blocks)], i)
			}
			blocks = rapid.Permutation(blocks).Draw(t, name)
			for i := range members {
				members[i] = rapid.Permutation(members[i]).Draw(t, name)
			}
			for i := range k {
				order = append(order, members[blocks[i%len(blocks)]][i/len(blocks)])
			}
			return order
		}
		e.order = order("order in blocks")
		for i, chunk := range order("names in blocks") {
			e.rename[i+1] = (chunk + 1) * sign(e.rename[i+1])
		}
		return e
	})
}

// everyElement lists the whole group, without flipping all entity chunks at once, which changes
// nothing.
func everyElement(k int, g Group) []element {
	var elements []element
	flips := signVectors(k)
	if g == Paper {
		flips = flips[:1]
	}
	for order := range permutations(k) {
		for _, flip := range flips {
			if flip[0] < 0 {
				continue
			}
			for values := range permutations(k) {
				for _, signs := range signVectors(k) {
					rename := make([]int, k+1)
					for i, value := range values {
						rename[i+1] = signs[i] * (value + 1)
					}
					elements = append(elements, element{order, flip, rename})
				}
			}
		}
	}
	return elements
}

// signVectors lists {1,-1}^k; the first is all ones.
func signVectors(k int) [][]int {
	vectors := [][]int{{}}
	for range k {
		var longer [][]int
		for _, s := range []int{1, -1} {
			for _, vector := range vectors {
				longer = append(longer, append(slices.Clone(vector), s))
			}
		}
		vectors = longer
	}
	return vectors
}

// permutations yields the orders of 0…k-1.
func permutations(k int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var extend func(prefix []int) bool
		extend = func(prefix []int) bool {
			if len(prefix) == k {
				return yield(slices.Clone(prefix))
			}
			for next := range k {
				if !slices.Contains(prefix, next) && !extend(append(prefix, next)) {
					return false
				}
			}
			return true
		}
		extend(nil)
	}
}

// anyEmbedding draws small integers, so that scores are exact.
func anyEmbedding(length int) *rapid.Generator[[]float64] {
	number := rapid.Map(rapid.IntRange(-9, 9), func(n int) float64 { return float64(n) })
	return rapid.SliceOfN(number, length, length)
}
