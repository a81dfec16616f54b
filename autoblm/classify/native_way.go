package classify

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// way is a layer's hop, as lists of rows one after the other.
type way struct {
	below, targets                  int
	collect, spread, unspread, back rowLists
	self                            []int32 // the row below of each target
	blank                           []bool  // rows below that are not learned; nil for none
	relations                       []stretch
	source, carrier, target         []float32 // weights; nil stands for ones
	ones                            []float32 // of each carrier: what it carries of a table of ones
}

// stretch is a relation's carriers.
type stretch struct{ relation, from, to int }

func newWay(l layer, relations int) *way {
	h := newHopInBlocks(l, relations, 1)
	w := &way{
		below: l.below, targets: len(l.nodes), self: l.self,
		collect: newRowLists(h.collect), spread: newRowLists(h.spread),
		unspread: newRowLists(transposed(h.spread, h.carriers())), back: newRowLists(h.backward(l, false)), blank: l.blank,
	}
	for i, r := range h.relations {
		if last := len(w.relations) - 1; last >= 0 && w.relations[last].relation == int(r) {
			w.relations[last].to++
		} else {
			w.relations = append(w.relations, stretch{int(r), i, i + 1})
		}
	}
	for _, weights := range []struct {
		to   *[]float32
		from []float64
	}{{&w.source, l.sourceWeights}, {&w.carrier, h.weights}, {&w.target, l.targetWeights}} {
		if weights.from != nil {
			*weights.to = narrow[float32](weights.from)
		}
	}
	for i, sources := range h.collect {
		sum := float32(0)
		for _, row := range sources {
			sum += weightOf(w.source, int(row))
		}
		w.ones = append(w.ones, sum*weightOf(w.carrier, i))
	}
	return w
}

func weightOf(weights []float32, i int) float32 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// rowLists are lists of rows: list i is rows[starts[i]:starts[i+1]].
type rowLists struct{ starts, rows []int32 }

func newRowLists(all [][]int32) rowLists {
	l := rowLists{starts: []int32{0}}
	for _, list := range all {
		l.rows = append(l.rows, list...)
		l.starts = append(l.starts, int32(len(l.rows)))
	}
	return l
}

func (l rowLists) of(i int) []int32 { return l.rows[l.starts[i]:l.starts[i+1]] }

// sum sets each row of to to the sum of the rows of from in its list, with the
// weights of both; nil stands for ones. Columns that only one of them has room for
// are left out, and zero.
func (l rowLists) sum(k *kernel.Set, to, from table, weights, fromWeights []float32) {
	width := min(to.Stride, from.Stride)
	for i := range len(l.starts) - 1 {
		out, own, list := to.wide(i), weightOf(weights, i), l.of(i)
		clear(out[width:])
		out = out[:width]
		if len(list) == 0 {
			clear(out)
		}
		for n, row := range list {
			factor := own * weightOf(fromWeights, int(row))
			if x := from.Row(int(row))[:width]; n == 0 {
				k.Scale(out, x, factor)
			} else {
				k.ScaleAdd(out, x, factor)
			}
		}
	}
}
