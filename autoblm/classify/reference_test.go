package classify

import (
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// reference computes logits by the definitions, edge by edge, on the whole graph.
type reference struct {
	graph    *rdf.Graph
	settings Settings
	entities [][]float64 // by node
	tables   map[key][]float64
}

// logits are those of all labelled nodes, Train before Test.
func (r reference) logits(s structure.Structure) [][]float64 {
	x := r.entities
	for l := range r.settings.Layers {
		x = r.layer(x, l, s)
	}
	var all [][]float64
	for _, label := range labels(r.graph) {
		h := x[label.Node]
		if r.settings.Hidden {
			h = relu(plus(times(h, r.tables[key{hidden, -1}]), r.tables[key{hiddenBias, -1}]))
		}
		all = append(all, plus(times(h, r.tables[key{output, -1}]), r.tables[key{outputBias, -1}]))
	}
	return all
}

// message is one along an edge or a self-loop.
type messageAlong struct {
	target, source int32
	relation       int // of the data
	reverse        bool
}

func (r reference) messages() []messageAlong {
	var all []messageAlong
	for _, t := range r.graph.Triples {
		all = append(all, messageAlong{t.Head, t.Tail, int(t.Relation), false})
		if r.settings.Reverse {
			all = append(all, messageAlong{t.Tail, t.Head, int(t.Relation), true})
		}
	}
	if r.settings.Encoder != GCN {
		return all
	}
	var distinct []messageAlong
	for _, m := range all {
		m.relation, m.reverse = 0, false
		if !slices.Contains(distinct, m) {
			distinct = append(distinct, m)
		}
	}
	return distinct
}

func (r reference) layer(x [][]float64, l int, s structure.Structure) [][]float64 {
	all := r.messages()
	sum := make([][]float64, len(x))
	for i := range sum {
		sum[i] = slices.Clone(r.tables[key{bias, l}])
		if r.settings.SelfLoops {
			own := x[i]
			if r.settings.Encoder.composes() {
				own = r.composed(own, r.relation(l, len(r.tables[key{relation, 0}])/r.settings.Dim-1))
			}
			sum[i] = plus(sum[i], times(own, r.tables[key{selfLoop, l}]))
		}
	}
	for _, m := range all {
		weight := 1.0
		count := func(same func(o messageAlong) bool) (n float64) {
			for _, o := range all {
				if same(o) {
					n++
				}
			}
			return n
		}
		alike := func(o messageAlong) bool {
			return o.target == m.target && o.relation == m.relation && o.reverse == m.reverse
		}
		switch r.settings.Norm {
		case ByRelation:
			weight = 1 / count(alike)
		case ByRelationRoot:
			weight = 1 / math.Sqrt(count(alike))
		case Symmetric:
			weight = 1 / math.Sqrt(count(func(o messageAlong) bool { return o.target == m.target })*count(func(o messageAlong) bool { return o.source == m.source }))
		}
		for c, v := range r.sent(x[m.source], m, l, s) {
			sum[m.target][c] += weight * v
		}
	}
	for i := range sum {
		sum[i] = relu(sum[i])
	}
	return sum
}

// sent is what a message has before its weight.
func (r reference) sent(e []float64, m messageAlong, l int, s structure.Structure) []float64 {
	d, number := r.settings.Dim, m.relation
	if m.reverse {
		number += len(r.graph.Relations)
	}
	table := func(name string) []float64 { return r.tables[key{name, l}] }
	switch r.settings.Encoder {
	case GCN:
		return times(e, table(message))
	case RGCN:
		parts, sum := r.settings.Parts, make([]float64, d)
		for b := range parts {
			for c, v := range times(e, table(basis)[b*d*d:][:d*d]) {
				sum[c] += table(coefficient)[number*parts+b] * v
			}
		}
		return sum
	case RGCNBlock:
		parts, width := r.settings.Parts, d/r.settings.Parts
		var all []float64
		for b := range parts {
			all = append(all, times(e[b*width:][:width], table(basis)[(number*parts+b)*width*width:][:width*width])...)
		}
		return all
	case BLM:
		k := s.K()
		width, mixed, rel := d/k, make([]float64, d), r.relation(l, number)
		for i := range k {
			for j := range k {
				a, sign := s.At(i, j), 1.0
				if a < 0 {
					a, sign = -a, -1
				}
				for n := 0; a != 0 && n < width; n++ {
					mixed[i*width+n] += sign * rel[(a-1)*width+n] * e[j*width+n]
				}
			}
		}
		if !r.settings.Transform {
			return mixed
		}
		return times(mixed, table(message))
	}
	name := message
	if m.reverse {
		name = reverseMessage
	}
	return times(r.composed(e, r.relation(l, number)), table(name))
}

// relation is row number of a layer's relations.
func (r reference) relation(l, number int) []float64 {
	d := r.settings.Dim
	if !r.settings.Encoder.composes() {
		return r.tables[key{relation, l}][number*d:][:d]
	}
	row := r.tables[key{relation, 0}][number*d:][:d]
	for step := range l {
		row = times(row, r.tables[key{relationStep, step}])
	}
	return row
}

func (r reference) composed(e, rel []float64) []float64 {
	d := len(e)
	out := make([]float64, d)
	for k := range d {
		switch r.settings.Encoder {
		case CompGCNSub:
			out[k] = e[k] - rel[k]
		case CompGCNMult:
			out[k] = e[k] * rel[k]
		case CompGCNCorr:
			for i := range d {
				out[k] += e[i] * rel[(k+i)%d]
			}
		}
	}
	return out
}

// times is the row x times a matrix with len(x) rows.
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
