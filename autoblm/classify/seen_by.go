package classify

import "slices"

// seenByFewer tells for each input whether fewer than n outputs see it, as many layers
// of edges away as there are.
func (n *Network) seenByFewer(than int) []bool {
	fewer := make([]bool, len(n.Inputs))
	if than <= 1 { // one at least sees each
		return fewer
	}
	by := make([][]int32, len(n.Outputs)) // of each row of a layer, the outputs that see it, or as many as matter
	for i, row := range n.Outputs {
		by[row] = []int32{int32(i)}
	}
	for _, l := range slices.Backward(n.Layers) {
		below := make([][]int32, l.Below)
		add := func(row int32, outputs []int32) {
			for _, output := range outputs {
				if len(below[row]) < than && !slices.Contains(below[row], output) {
					below[row] = append(below[row], output)
				}
			}
		}
		for target, row := range l.Self {
			add(row, by[target])
		}
		for _, e := range l.edges {
			add(e.source, by[e.target])
		}
		by = below
	}
	for row, outputs := range by {
		fewer[row] = len(outputs) < than
	}
	return fewer
}

// forget takes the embeddings of some inputs away. They are zeros, so all their rows
// become one, or one for each weight of what they send.
func (n *Network) forget(which []bool) {
	if !slices.Contains(which, true) {
		return
	}
	first := &n.Layers[0]
	place := make([]int32, first.Below)
	blanks := map[float32]int32{} // rows by weight
	var inputs []int32
	var weights []float32
	for row, node := range n.Inputs {
		weight := float32(1)
		if first.SourceWeights != nil {
			weight = first.SourceWeights[row]
		}
		if which[row] {
			at, known := blanks[weight]
			if known {
				place[row] = at
				continue
			}
			node, blanks[weight] = Blank, int32(len(inputs))
		}
		place[row] = int32(len(inputs))
		inputs, weights = append(inputs, node), append(weights, weight)
	}
	for i, row := range first.Self {
		first.Self[i] = place[row]
	}
	for i, e := range first.edges {
		first.edges[i].source = place[e.source]
	}
	if first.SourceWeights != nil {
		first.SourceWeights = weights
	}
	n.Inputs, first.Below = inputs, len(inputs)
	first.Blank = make([]bool, len(inputs))
	for _, row := range blanks {
		first.Blank[row] = true
	}
}
