package enginetest

import (
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// reference computes one model from the definitions, on the whole graph.
type reference struct {
	graph     *rdf.Graph
	settings  classify.Settings
	structure structure.Structure
	edges     []edge
	tables    map[int]map[string][]float64 // by layer and name
	entities  [][]float64                  // by node
	mask      func(node int32, layer int) []float64
}

// edge carries a message.
type edge struct {
	target, source int32
	relation       int // of the graph
	reverse        bool
	weight         float64
}

func newReference(g *rdf.Graph, s classify.Settings, a structure.Structure) *reference {
	r := &reference{graph: g, settings: s, structure: a}
	for _, t := range g.Triples {
		r.edges = append(r.edges, edge{target: t.Head, source: t.Tail, relation: int(t.Relation)})
		if s.Reverse {
			r.edges = append(r.edges, edge{target: t.Tail, source: t.Head, relation: int(t.Relation),
				reverse: true})
		}
	}
	if s.Encoder == classify.GCN {
		var distinct []edge
		for _, e := range r.edges {
			e.relation, e.reverse = 0, false
			if !slices.Contains(distinct, e) {
				distinct = append(distinct, e)
			}
		}
		r.edges = distinct
	}
	for i := range r.edges {
		r.edges[i].weight = r.weight(r.edges[i])
	}
	return r
}

// weight returns the weight of a message under the norm.
func (r *reference) weight(e edge) float64 {
	count := func(same func(o edge) bool) (n float64) {
		for _, o := range r.edges {
			if same(o) {
				n++
			}
		}
		return n
	}
	alike := func(o edge) bool {
		return o.target == e.target && o.relation == e.relation && o.reverse == e.reverse
	}
	switch r.settings.Norm {
	case classify.ByRelation:
		return 1 / count(alike)
	case classify.ByRelationRoot:
		return 1 / math.Sqrt(count(alike))
	case classify.Symmetric:
		return 1 / math.Sqrt(count(func(o edge) bool {
			return o.target == e.target
		})*count(func(o edge) bool { return o.source == e.source }))
	}
	return 1
}

// set copies the tables of a network's parameters. The embeddings of other nodes are zero.
func (r *reference) set(n *classify.Network, tables [][]float32) {
	d := r.settings.Dim
	r.tables, r.entities = map[int]map[string][]float64{}, make([][]float64, len(r.graph.Nodes))
	for node := range r.entities {
		r.entities[node] = make([]float64, d)
	}
	for i, p := range n.Parameters {
		table := make([]float64, len(tables[i]))
		for at, x := range tables[i] {
			table[at] = float64(x)
		}
		if r.tables[p.Layer] == nil {
			r.tables[p.Layer] = map[string][]float64{}
		}
		r.tables[p.Layer][p.Name] = table
	}
	for row, node := range n.Inputs {
		if node != classify.Blank {
			r.entities[node] = r.tables[-1][classify.EntityEmbeddings][row*d:][:d]
		}
	}
}

// loss returns the mean cross entropy of some labelled nodes, numbered with training nodes first.
func (r *reference) loss(learn []int) (sum float64) {
	labels := slices.Concat(r.graph.Train, r.graph.Test)
	all := r.logits(labels)
	for _, i := range learn {
		total, largest := 0.0, slices.Max(all[i])
		for _, x := range all[i] {
			total += math.Exp(x - largest)
		}
		sum += (math.Log(total) + largest - all[i][labels[i].Class]) / float64(len(learn))
	}
	return sum
}

func (r *reference) logits(nodes []rdf.Label) [][]float64 {
	x := r.entities
	for l := range r.settings.Layers {
		x = r.layer(x, l)
	}
	var all [][]float64
	t := r.tables[-1]
	for _, n := range nodes {
		h := x[n.Node]
		if r.settings.Hidden {
			h = relu(plus(times(h, t[classify.HiddenWeights]), t[classify.HiddenBias]))
		}
		all = append(all, plus(times(h, t[classify.OutputWeights]), t[classify.OutputBias]))
	}
	return all
}

func (r *reference) layer(x [][]float64, l int) [][]float64 {
	sum := make([][]float64, len(x))
	for i := range sum {
		sum[i] = slices.Clone(r.tables[l][classify.Bias])
		if r.settings.SelfLoops {
			own := x[i]
			if r.settings.Encoder.IsCompGCN() {
				own = r.composed(own, r.relation(l,
					len(r.tables[0][classify.RelationEmbeddings])/r.settings.Dim-1))
			}
			sum[i] = plus(sum[i], times(own, r.tables[l][classify.SelfWeights]))
		}
	}
	for _, e := range r.edges {
		for c, v := range r.sent(x[e.source], e, l) {
			sum[e.target][c] += e.weight * v
		}
	}
	for i := range sum {
		sum[i] = relu(sum[i])
		for c, keep := range r.mask(int32(i), l) {
			sum[i][c] *= keep
		}
	}
	return sum
}

// sent returns a message before its weight.
func (r *reference) sent(x []float64, e edge, l int) []float64 {
	d, number, t := r.settings.Dim, e.relation, r.tables[l]
	if e.reverse {
		number += len(r.graph.Relations)
	}
	switch r.settings.Encoder {
	case classify.GCN:
		return times(x, t[classify.MessageWeights])
	case classify.RGCN:
		parts, sum := r.settings.Parts, make([]float64, d)
		for b := range parts {
			for c, v := range times(x, t[classify.Bases][b*d*d:][:d*d]) {
				sum[c] += t[classify.Coefficients][number*parts+b] * v
			}
		}
		return sum
	case classify.RGCNBlock:
		parts, width := r.settings.Parts, d/r.settings.Parts
		var all []float64
		for b := range parts {
			all = append(all, times(x[b*width:][:width],
				t[classify.Bases][(number*parts+b)*width*width:][:width*width])...)
		}
		return all
	case classify.BLM:
		mixed := r.mixed(x, r.relation(l, number))
		if !r.settings.Transform {
			return mixed
		}
		return times(mixed, t[classify.MessageWeights])
	}
	weights := t[classify.MessageWeights]
	if e.reverse {
		weights = t[classify.ReverseWeights]
	}
	return times(r.composed(x, r.relation(l, number)), weights)
}

// mixed returns g(A, r) x: chunk i is the sum over j of sign(A_ij) r_|A_ij| ⊙ x_j.
func (r *reference) mixed(x, relation []float64) []float64 {
	k, y := r.structure.K(), make([]float64, len(x))
	width := len(x) / k
	for i := range k {
		for j := range k {
			a, sign := int(r.structure.At(i, j)), 1.0
			if a < 0 {
				a, sign = -a, -1
			}
			for n := 0; a != 0 && n < width; n++ {
				y[i*width+n] += sign * relation[(a-1)*width+n] * x[j*width+n]
			}
		}
	}
	return y
}

// relation returns an embedding of a layer's relations.
func (r *reference) relation(l, number int) []float64 {
	d := r.settings.Dim
	if !r.settings.Encoder.IsCompGCN() {
		return r.tables[l][classify.RelationEmbeddings][number*d:][:d]
	}
	row := r.tables[0][classify.RelationEmbeddings][number*d:][:d]
	for step := range l {
		row = times(row, r.tables[step][classify.RelationStep])
	}
	return row
}

// composed returns CompGCN's composition φ(x, r).
func (r *reference) composed(x, rel []float64) []float64 {
	d := len(x)
	out := make([]float64, d)
	for k := range d {
		switch r.settings.Encoder {
		case classify.CompGCNSub:
			out[k] = x[k] - rel[k]
		case classify.CompGCNMult:
			out[k] = x[k] * rel[k]
		case classify.CompGCNCorr:
			for i := range d {
				out[k] += x[i] * rel[(k+i)%d]
			}
		}
	}
	return out
}

// times multiplies the row x by a matrix with len(x) rows.
func times(x, matrix []float64) []float64 {
	columns := len(matrix) / len(x)
	y := make([]float64, columns)
	for i, v := range x {
		for j := range y {
			y[j] += v * matrix[i*columns+j]
		}
	}
	return y
}

func plus(x, y []float64) []float64 {
	sum := slices.Clone(x)
	for i, v := range y {
		sum[i] += v
	}
	return sum
}

func relu(x []float64) []float64 {
	y := slices.Clone(x)
	for i := range y {
		y[i] = max(y[i], 0)
	}
	return y
}
