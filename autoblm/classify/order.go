package classify

import "slices"

// arrange orders the rows of all layers by how many messages each sums up, and those of
// the inputs by how many gradients. Sums are rounded in this order.
func (n *Network) arrange() {
	for i := range n.Layers {
		order := byLength(n.Messages(i, 1).Incoming)
		n.Layers[i].reorder(order)
		if i+1 < len(n.Layers) {
			n.Layers[i+1].reorderBelow(order)
		} else {
			renumber(n.Outputs, order)
		}
	}
	first := &n.Layers[0]
	gradients := n.Messages(0, 1).Outgoing(*first)
	for target, row := range first.Self {
		if n.Settings.SelfLoops && (first.Blank == nil || !first.Blank[row]) {
			gradients[row] = append(gradients[row], int32(target))
		}
	}
	order := byLength(gradients)
	first.reorderBelow(order)
	n.Inputs = picked(n.Inputs, order)
}

// byLength is an order of lists by their lengths, those above 8 as if they had been
// divided into parts of up to 8, until there are so few.
func byLength(lists [][]int32) []int32 {
	const most = 8
	length := func(i int32) int {
		n := len(lists[i])
		for n > most {
			n = (n + most - 1) / most
		}
		return n
	}
	order := upTo(len(lists))
	slices.SortStableFunc(order, func(a, b int32) int { return length(a) - length(b) })
	return order
}

// reorder gives the layer's rows another order, in which old row order[i] is row i.
func (l *Layer) reorder(order []int32) {
	l.Nodes, l.Self, l.TargetWeights = picked(l.Nodes, order), picked(l.Self, order), picked(l.TargetWeights, order)
	place := inverse(order)
	for i := range l.edges {
		l.edges[i].target = place[l.edges[i].target]
	}
}

// reorderBelow gives the rows of the layer below another order.
func (l *Layer) reorderBelow(order []int32) {
	l.SourceWeights, l.Blank = picked(l.SourceWeights, order), picked(l.Blank, order)
	renumber(l.Self, order)
	place := inverse(order)
	for i := range l.edges {
		l.edges[i].source = place[l.edges[i].source]
	}
}

// picked is x in an order; nil stays nil.
func picked[T any](x []T, order []int32) []T {
	if x == nil {
		return nil
	}
	y := make([]T, len(order))
	for i, from := range order {
		y[i] = x[from]
	}
	return y
}

// renumber changes numbers of rows to those that an order gives them.
func renumber(rows, order []int32) {
	place := inverse(order)
	for i, row := range rows {
		rows[i] = place[row]
	}
}

func inverse(order []int32) []int32 {
	place := make([]int32, len(order))
	for i, from := range order {
		place[from] = int32(i)
	}
	return place
}
