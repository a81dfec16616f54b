package classify

import (
	"maps"
	"slices"
)

// Messages describes how a layer is computed. A message is the sum of its sources, rows of the
// layer below, times its weight and the matrix of its relation. It is added to its targets.
//
// The messages of all encoders are linear in the source. So there are two ways to save products:
// sum all sources of a relation to one target before multiplying, or multiply one source once for
// all its targets. For the edges of one relation and one weight, the choice with fewer messages is
// used.
//
// Messages form blocks of one relation, padded with empty messages, so that all products can be
// one batched matrix product.
type Messages struct {
	BlockSize int
	Relations []int32   // of each block
	Sources   [][]int32 // of each message
	Incoming  [][]int32 // messages to each row of the layer
	Weights   []float32 // of each message; nil stands for ones
}

// Messages returns the messages of a layer in blocks of a size; 0 chooses a suitable size.
func (n *Network) Messages(layer, blockSize int) *Messages {
	l, relations := &n.Layers[layer], n.Relations
	byRelation := make([][]edge, relations)
	for _, e := range l.edges {
		byRelation[e.relation] = append(byRelation[e.relation], e)
	}
	groups := make([][]message, relations)
	total := 0
	for r, edges := range byRelation {
		groups[r] = messagesOf(edges, l.pairWeight)
		total += len(groups[r])
	}
	if blockSize == 0 {
		blockSize = suitableBlockSize(total, relations)
	}
	m := &Messages{BlockSize: blockSize, Incoming: make([][]int32, len(l.Nodes))}
	if l.pairWeight != nil {
		m.Weights = []float32{}
	}
	for r, group := range groups {
		for _, msg := range group {
			for _, target := range msg.targets {
				m.Incoming[target] = append(m.Incoming[target], int32(len(m.Sources)))
			}
			m.add(msg)
		}
		for len(m.Sources)%blockSize != 0 {
			m.add(message{})
		}
		for len(m.Relations) < len(m.Sources)/blockSize {
			m.Relations = append(m.Relations, int32(r))
		}
	}
	return m
}

func (m *Messages) add(msg message) {
	m.Sources = append(m.Sources, msg.sources)
	if m.Weights != nil {
		m.Weights = append(m.Weights, float32(msg.weight))
	}
}

// Targets returns the targets of each message.
func (m *Messages) Targets() [][]int32 { return transposed(m.Incoming, len(m.Sources)) }

// Outgoing returns, for each row of the layer below, the messages that it is a source of. Rows that
// are not learned have none.
func (m *Messages) Outgoing(l Layer) [][]int32 {
	lists := transposed(m.Sources, l.Below)
	for row, blank := range l.Blank {
		if blank {
			lists[row] = nil
		}
	}
	return lists
}

// suitableBlockSize returns a power of two. Larger blocks need fewer matrix products but more
// padding, which is limited to about a quarter of all messages.
func suitableBlockSize(messages, relations int) int {
	size := 16
	for size < 128 && 4*size*relations < 2*messages {
		size *= 2
	}
	return size
}

type message struct {
	sources, targets []int32
	weight           float64
}

// messagesOf returns the messages for the edges of one relation; see [Messages].
func messagesOf(edges []edge, pairWeight func(edges int) float64) []message {
	byTarget := map[int32][]edge{}
	for _, e := range edges {
		byTarget[e.target] = append(byTarget[e.target], e)
	}
	byWeight := map[float64][]edge{}
	for _, target := range slices.Sorted(maps.Keys(byTarget)) {
		weight := 1.0
		if pairWeight != nil {
			weight = pairWeight(len(byTarget[target]))
		}
		byWeight[weight] = append(byWeight[weight], byTarget[target]...)
	}
	var all []message
	for _, weight := range slices.Sorted(maps.Keys(byWeight)) {
		sources, targets := map[int32][]int32{}, map[int32][]int32{} // of a target, of a source
		for _, e := range byWeight[weight] {
			sources[e.target] = append(sources[e.target], e.source)
			targets[e.source] = append(targets[e.source], e.target)
		}
		if len(sources) <= len(targets) {
			for _, target := range slices.Sorted(maps.Keys(sources)) {
				all = append(all, message{sources[target], []int32{target}, weight})
			}
			continue
		}
		for _, source := range slices.Sorted(maps.Keys(targets)) {
			all = append(all, message{[]int32{source}, targets[source], weight})
		}
	}
	return all
}

// transposed returns, for each number below n, the indices of the lists that contain it.
func transposed(lists [][]int32, n int) [][]int32 {
	in := make([][]int32, n)
	for i, list := range lists {
		for _, x := range list {
			in[x] = append(in[x], int32(i))
		}
	}
	return in
}
