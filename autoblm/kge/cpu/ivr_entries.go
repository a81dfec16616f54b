package cpu

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// entry is an entry of the matrix W×x that is not 0, a signed sum of chunks of x. Other entries are
// equal to it or its negative; weight is the sum of their weights in the squared norm.
type entry struct {
	summands []summand // the first is positive
	weight   float32
}

type summand struct {
	column int // first of the chunk
	sign   float32
}

// setStructure replaces the structure of the model.
func (t *trainer) setStructure(s structure.Structure) {
	t.model.setStructure(s)
	t.prepareIVR()
}

// prepareIVR computes the entries of W×h, W×r and W×t of a structure, if their norms are penalized.
func (t *trainer) prepareIVR() {
	if t.member.IVR == 0 || t.cores != nil {
		return
	}
	for r := range t.entries {
		t.entries[r] = t.hop.(mixture).entriesOf(role(r), 1/float32(t.structure.K()))
	}
}

// entriesOf returns the entries of W×x for x in a role, each with a weight.
func (m mixture) entriesOf(r role, weight float32) (entries []entry) {
	y, z := r.others()
	type place struct{ row, column int }
	var places []place
	at := map[place][]summand{}
	for _, t := range m.terms {
		p := place{t.columns[y], t.columns[z]}
		if _, found := at[p]; !found {
			places = append(places, p)
		}
		at[p] = append(at[p], summand{t.columns[r], t.sign})
	}
	for _, p := range places {
		summands := at[p]
		if summands[0].sign < 0 {
			for i := range summands {
				summands[i].sign *= -1
			}
		}
		isSame := func(e entry) bool { return slices.Equal(e.summands, summands) }
		if i := slices.IndexFunc(entries, isSame); i >= 0 {
			entries[i].weight += weight
		} else {
			entries = append(entries, entry{summands, weight})
		}
	}
	return entries
}

// value returns the value of an entry of W×x. The next call may overwrite it.
func (p *ivr) value(e entry, x kernel.Table) kernel.Table {
	if len(e.summands) == 1 {
		return columnsFrom(x, e.summands[0].column)
	}
	clear(p.columns(p.sum))
	for _, s := range e.summands {
		p.mulAdd(p.sum, columnsFrom(x, s.column), p.ones, s.sign)
	}
	return p.sum
}
