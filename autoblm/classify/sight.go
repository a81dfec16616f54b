package classify

import "slices"

// blank stands in a field's inputs for nodes without an embedding.
const blank int32 = -1

// forget takes the embedding from each node that fewer than n labelled nodes see.
// It stays zero, so the rows of all such nodes become one, or one for each weight
// of what they send.
func (f *field) forget(n int) {
	if n <= 1 { // one at least sees each
		return
	}
	seen := f.seenBy(n)
	if !slices.Contains(seen, false) {
		return
	}
	first := &f.layers[0]
	place := make([]int32, first.below)
	blanks := map[float64]int32{} // rows by weight
	var inputs []int32
	var weights []float64
	for row, node := range f.inputs {
		weight := 1.0
		if first.sourceWeights != nil {
			weight = first.sourceWeights[row]
		}
		if !seen[row] {
			at, there := blanks[weight]
			if there {
				place[row] = at
				continue
			}
			node, blanks[weight] = blank, int32(len(inputs))
		}
		place[row] = int32(len(inputs))
		inputs, weights = append(inputs, node), append(weights, weight)
	}
	for i, row := range first.self {
		first.self[i] = place[row]
	}
	for i, e := range first.edges {
		first.edges[i].source = place[e.source]
	}
	if first.sourceWeights != nil {
		first.sourceWeights = weights
	}
	f.inputs, first.below = inputs, len(inputs)
	first.blank = make([]bool, len(inputs))
	for _, row := range blanks {
		first.blank[row] = true
	}
}

// seenBy tells for each row of the inputs whether at least n labelled nodes see it.
func (f *field) seenBy(n int) []bool {
	watchers := make([][]int32, len(f.labelled)) // of each row of a layer, n of the labelled nodes that see it at the most
	for i, row := range f.labelled {
		watchers[row] = []int32{int32(i)}
	}
	for _, l := range slices.Backward(f.layers) {
		below := make([][]int32, l.below)
		watch := func(row int32, by []int32) {
			for _, w := range by {
				if len(below[row]) < n && !slices.Contains(below[row], w) {
					below[row] = append(below[row], w)
				}
			}
		}
		for target, row := range l.self {
			watch(row, watchers[target])
		}
		for _, e := range l.edges {
			watch(e.source, watchers[e.target])
		}
		watchers = below
	}
	seen := make([]bool, len(watchers))
	for row, by := range watchers {
		seen[row] = len(by) >= n
	}
	return seen
}
