package classify

import (
	"slices"

	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// Network describes the computation of an engine: layers of nodes between embeddings and the
// nodes to classify. It holds only the nodes and edges that these depend on: a node more than
// Layers edges away has no influence on a logit, and no gradient.
type Network struct {
	Settings Settings
	// Relations is the number of kinds of edges, and Classes the number of classes.
	Relations, Classes int
	// Inputs has the node of the graph of each row of embeddings; [Blank] marks a row of zeros
	// that is not learned.
	Inputs []int32
	// Layers are in the order of computation.
	Layers []Layer
	// Outputs has the nodes to classify, as rows of the last layer, and Targets their classes, -1
	// for a node without a label.
	Outputs, Targets []int32
	// Parameters are the learned tables, the embeddings of the inputs first.
	Parameters []Parameter
}

// NewNetwork returns the network that classifies the labelled nodes, training nodes first.
func NewNetwork(g *rdf.Graph, s Settings) *Network {
	isBlank := func(n *Network) []bool { return n.seenByFewer(s.SeenBy) }
	return newNetwork(g, s, labelledNodes(g), isBlank)
}

// newNetwork returns the network that classifies some nodes. isBlank marks the inputs without an
// embedding.
func newNetwork(
	g *rdf.Graph, s Settings, outputs []rdf.Label, isBlank func(n *Network) []bool,
) *Network {
	n := &Network{
		Settings: s, Relations: edgeKinds(len(g.Relations), s), Classes: len(g.Classes),
		Outputs: integers(0, int32(len(outputs))),
	}
	for _, l := range outputs {
		n.Inputs, n.Targets = append(n.Inputs, l.Node), append(n.Targets, l.Class)
	}
	into := make([][]edge, len(g.Nodes)) // by target node
	outDegrees := make([]int, len(g.Nodes))
	for _, e := range edgesOf(g, s) {
		into[e.target] = append(into[e.target], e)
		outDegrees[e.source]++
	}
	for range s.Layers { // last layer first, against the direction of the messages
		n.addBelow(into, outDegrees)
	}
	slices.Reverse(n.Layers)
	n.mergeBlank(isBlank(n))
	n.sortRows()
	n.Parameters = parametersOf(s, len(n.Inputs), n.Relations, n.Classes)
	return n
}

// addBelow turns the inputs into a layer, and adds inputs below it.
func (n *Network) addBelow(into [][]edge, outDegrees []int) {
	below := &numbering{rows: map[int32]int32{}}
	l := Layer{Nodes: n.Inputs}
	for _, node := range l.Nodes {
		l.Self = append(l.Self, below.row(node))
	}
	for target, node := range l.Nodes {
		for _, e := range into[node] {
			l.edges = append(l.edges, edge{int32(target), e.relation, below.row(e.source)})
		}
	}
	l.Below = len(below.nodes)
	l.normalize(n.Settings.Norm, below.nodes, into, outDegrees)
	n.Layers = append(n.Layers, l)
	n.Inputs = below.nodes
}

// numbering numbers nodes in the order of the calls of row.
type numbering struct {
	rows  map[int32]int32
	nodes []int32
}

func (n *numbering) row(node int32) int32 {
	row, known := n.rows[node]
	if !known {
		row = int32(len(n.nodes))
		n.rows[node] = row
		n.nodes = append(n.nodes, node)
	}
	return row
}

// seenByFewer marks the inputs that influence fewer than limit outputs.
func (n *Network) seenByFewer(limit int) []bool {
	fewer := make([]bool, len(n.Inputs))
	if limit <= 1 { // every input influences an output
		return fewer
	}
	seenBy := make([][]int32, len(n.Outputs)) // at most limit outputs of each row of a layer
	for i, row := range n.Outputs {
		seenBy[row] = []int32{int32(i)}
	}
	for _, l := range slices.Backward(n.Layers) {
		below := make([][]int32, l.Below)
		add := func(row int32, outputs []int32) {
			for _, output := range outputs {
				if len(below[row]) < limit && !slices.Contains(below[row], output) {
					below[row] = append(below[row], output)
				}
			}
		}
		for target, row := range l.Self {
			add(row, seenBy[target])
		}
		for _, e := range l.edges {
			add(e.source, seenBy[e.target])
		}
		seenBy = below
	}
	for row, outputs := range seenBy {
		fewer[row] = len(outputs) < limit
	}
	return fewer
}

// mergeBlank removes the embeddings of some inputs. Their rows, all zeros, are merged into one row
// per source weight.
func (n *Network) mergeBlank(isBlank []bool) {
	if !slices.Contains(isBlank, true) {
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
		if isBlank[row] {
			merged, found := blanks[weight]
			if found {
				place[row] = merged
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

// sortRows sorts the rows of each layer by their number of messages, and the inputs by their
// number of gradients. The order of the rows determines the rounding of sums in engines.
func (n *Network) sortRows() {
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
	n.Inputs = permuted(n.Inputs, order)
}

// Initialize draws the initial tables of all parameters from a seed, the same on every engine. A
// node's embedding depends on the seed and on its number in the graph, but not on the other nodes.
func (n *Network) Initialize(seed uint64) [][]float32 {
	tables := make([][]float32, len(n.Parameters))
	for i, p := range n.Parameters {
		table := make([]float32, p.Size())
		tables[i] = table
		if p.Name != EntityEmbeddings {
			fillNormal(table, seed, uint64(i), p.scale)
			continue
		}
		for row, node := range n.Inputs {
			if node != Blank {
				embedding := table[row*n.Settings.Dim:][:n.Settings.Dim]
				fillNormal(embedding, seed, 1<<32+uint64(node), p.scale)
			}
		}
	}
	return tables
}
