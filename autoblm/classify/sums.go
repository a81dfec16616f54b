package classify

import "slices"

// sums is a plan for adding up rows of a table [rows, d]: result i is the sum of
// the rows in list i. It needs only lookups and additions of whole tables, in an
// order that is always the same, so that results repeat to the bit where a scatter
// would not, and it is faster than one on GoMLX's own backend.
//
// Each level looks up in a pool: a row of zeros where one is needed, the table,
// and the results of the levels before. The results of the last level are the sums.
type sums struct {
	rows, results int
	zero          bool
	levels        []level
	indices       []int32 // of the pool, those of all buckets one after the other
}

// level are buckets whose results stand one after the other.
type level []bucket

// bucket are sums of equally many terms. The indices of the first terms of all of
// them come first, then those of the second, and so on.
type bucket struct {
	first        int // place in the indices
	terms, count int
}

// mostTerms is how many terms a sum has within a level. Longer sums take more levels.
const mostTerms = 8

// newSums plans the sums of lists of a table's rows. Lists in the order byLength
// take the fewest lookups.
func newSums(rows int, lists [][]int32) *sums {
	p := &sums{rows: rows, results: len(lists)}
	p.zero = slices.ContainsFunc(lists, func(list []int32) bool { return len(list) == 0 })
	pool := make([][]int32, len(lists)) // what is left of each list, as indices of the pool
	offset := int32(0)
	if p.zero {
		offset = 1
	}
	for i, list := range lists {
		if len(list) == 0 {
			pool[i] = []int32{0}
			continue
		}
		for _, row := range list {
			pool[i] = append(pool[i], row+offset)
		}
	}
	size := offset + int32(rows)
	for slices.ContainsFunc(pool, func(list []int32) bool { return len(list) > mostTerms }) {
		pool, size = p.shorten(pool, size, func(list []int32) bool { return len(list) > mostTerms })
	}
	if runs(pool) > 2*mostTerms {
		pool, _ = p.shorten(pool, size, func(list []int32) bool { return len(list) > 1 })
	}
	p.addLevel(pool)
	return p
}

// shorten adds a level with the sums of up to mostTerms terms of some lists, and
// puts those in their place.
func (p *sums) shorten(pool [][]int32, size int32, which func([]int32) bool) ([][]int32, int32) {
	type part struct {
		list  int
		terms []int32
	}
	var parts []part
	for i, list := range pool {
		if which(list) {
			for terms := range slices.Chunk(list, mostTerms) {
				parts = append(parts, part{i, terms})
			}
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return len(b.terms) - len(a.terms) })
	shorter := slices.Clone(pool)
	for i := range shorter {
		if which(pool[i]) {
			shorter[i] = nil
		}
	}
	var lists [][]int32
	for _, part := range parts {
		shorter[part.list] = append(shorter[part.list], size)
		lists = append(lists, part.terms)
		size++
	}
	p.addLevel(lists)
	return shorter, size
}

// addLevel adds a level whose results are the sums of the lists, in their order.
func (p *sums) addLevel(lists [][]int32) {
	var l level
	for from := 0; from < len(lists); {
		to, terms := from, len(lists[from])
		for to < len(lists) && len(lists[to]) == terms {
			to++
		}
		l = append(l, bucket{first: len(p.indices), terms: terms, count: to - from})
		for term := range terms {
			for _, list := range lists[from:to] {
				p.indices = append(p.indices, list[term])
			}
		}
		from = to
	}
	p.levels = append(p.levels, l)
}

// runs is the number of stretches of lists with one length.
func runs(lists [][]int32) int {
	n := 0
	for i, list := range lists {
		if i == 0 || len(list) != len(lists[i-1]) {
			n++
		}
	}
	return n
}

// byLength is an order of lists in which those stand together that have one length
// in the last level of their sums.
func byLength(lists [][]int32) []int32 {
	length := func(i int32) int {
		n := len(lists[i])
		for n > mostTerms {
			n = (n + mostTerms - 1) / mostTerms
		}
		return n
	}
	order := identity(len(lists))
	slices.SortStableFunc(order, func(a, b int32) int { return length(a) - length(b) })
	return order
}
