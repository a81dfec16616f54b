package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// keptBytes is how much room the exponentials of a step may take, but for a
// unit on each thread, which needs it in any case. In bfloat16 they are read once, in
// turn, and what is read and written anew for each part of a batch weighs more than
// three products do.
const keptBytes, keptRoundedBytes = 40 << 20, 160 << 20

// demand is what the steps of a population need room for.
type demand struct {
	model     *model // one of them
	units     int    // of a batch, at most
	paths     int    // of a unit, at most
	smoothing float64
	softmax   bool // over all entities, or over candidates
	among     int  // how many candidates
	few       int  // of which a question has slopes of about so many; 0 of all
	relations bool // are predicted, by some member
	pairs     bool // are learnt one by one
}

// kept is how much room the exponentials of a step may take.
func (d demand) kept() int { return mostKept(d.model.entities.Rounded != nil) }

func mostKept(rounded bool) int {
	if rounded {
		return keptRoundedBytes
	}
	return keptBytes
}

// unitBytes is what a unit keeps.
func (d demand) unitBytes() (bytes int) {
	if d.softmax && d.few == 0 {
		bytes = tiles.SoftmaxBytes(d.model.entities) * d.among / d.model.entities.Count
	}
	if d.relations {
		bytes += d.parts() * tiles.SoftmaxBytes(d.model.relations[0].Embeddings)
	}
	return bytes
}

// parts is how many softmaxes the relations of a unit are asked in.
func (d demand) parts() int { return (d.paths-1)/d.model.mostQueries() + 1 }

// workspace is what a step needs beside the model. Members that train one after
// the other share one.
type workspace struct {
	threads   int
	units     []*unit          // of a batch
	works     []*work          // units whose exponentials are kept at a time
	benches   []*bench         // by thread
	smoothing *tiles.Smoothing // nil without
	sample    *sample          // nil where answers are learnt among all entities
	byEntity  tiles.RowGradients
	// The softmaxes of the works; nil where answers are learnt one by one, and where
	// relations are not asked for.
	overEntities, overRelations *tiles.Softmaxes
	byRelation                  []tiles.RowGradients // by table
	pairs                       [][]unitPair         // by tile of entities

	// The gradients of all entities and of all relations, where not all units are kept.
	allEntities, allRelations kernel.Table
}

// unitPair is a pair of a unit.
type unitPair struct {
	*unit
	pair
}

func newWorkspace(d demand, threads, kept int) *workspace {
	m := d.model
	w := &workspace{threads: threads, byEntity: tiles.NewRowGradients(m.entities), pairs: make([][]unitPair, m.entities.Tiles())}
	for _, table := range m.relations {
		w.byRelation = append(w.byRelation, tiles.NewRowGradients(table.Embeddings))
	}
	for range d.units {
		w.units = append(w.units, newUnit(m, d.paths, d.pairs))
	}
	works := min(d.units, max(threads, kept/max(1, d.unitBytes())))
	if d.few > 0 { // what is kept of them is little
		works = d.units
	}
	if d.softmax {
		e := m.entities
		if d.among < e.Count {
			w.sample = newSample(m, d.among)
			e = w.sample.Embeddings
		}
		w.overEntities = tiles.NewSoftmaxes(m.measure, e, m.dim, works, float64(d.among)/float64(m.entities.Count), d.few)
	}
	if d.relations {
		w.overRelations = tiles.NewSoftmaxes(m.measure, m.relations[0].Embeddings, m.dim, works*d.parts(), 1, 0)
	}
	for i := range works {
		work := newWork(m, d.paths, !d.pairs)
		if d.softmax {
			work.overEntities = w.overEntities.Unit(i)
		}
		if d.relations {
			for part := range d.parts() {
				work.overRelations = append(work.overRelations, w.overRelations.Unit(i*d.parts()+part))
			}
		}
		w.works = append(w.works, work)
	}
	for range threads {
		w.benches = append(w.benches, newBench(m, d.paths, d.few > 0))
	}
	if d.smoothing > 0 {
		w.smoothing = tiles.NewSmoothing(d.smoothing, m.entities, d.units)
	}
	if len(w.works) < d.units {
		if w.sample == nil {
			w.allEntities = tiles.NewTable(m.entities.Tiles()*tiles.Rows, m.dim)
		}
		if d.relations {
			w.allRelations = tiles.NewTable(m.relations[0].Tiles()*tiles.Rows, m.dim)
		}
	}
	return w
}

// gradientOf is where a thread sums the gradient of a tile of a table: in all, where
// there is such a table.
func gradientOf(b *bench, of tiles.Embeddings, tile int, all kernel.Table) kernel.Table {
	if all.Data == nil {
		return kernel.Table{Data: b.tile.Data, Stride: of.Stride}
	}
	return all.From(tile * tiles.Rows)
}
