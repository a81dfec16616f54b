package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// The maximum size of the exponentials that a step keeps, in bytes. Each thread keeps those of one
// unit in any case. The limit is higher in bfloat16: the exponentials are read once, in order, and
// the memory traffic of a further round costs more than its three products.
const maxKeptBytes, maxKeptBF16Bytes = 40 << 20, 160 << 20

func maxKept(isBF16 bool) int {
	if isBF16 {
		return maxKeptBF16Bytes
	}
	return maxKeptBytes
}

// requirements describes the memory that a workspace needs.
type requirements struct {
	model            *model // one of the population
	units            int    // of a batch, at most
	paths            int    // of a unit, at most
	softmax          bool   // over all entities or a sample, or with negatives that queries share
	negatives        bool   // negative sampling on triples
	classifies       bool   // binary cross entropy of all entities
	candidates       int    // entities in that softmax, or negatives of a unit
	sparse           int    // approximate entities with gradients per query; 0: all
	predictRelations bool   // for some member
	pairs            bool   // entities are learned individually
	teacher          bool   // entities of a teacher's answers are learned individually
	touched          bool   // steps with a sample change only rows with a gradient
}

// drawnNegatives returns the number of negatives that each unit draws, or 0 if it draws none.
func (r requirements) drawnNegatives() int {
	if r.negatives && r.candidates < r.model.entities.Count {
		return r.candidates
	}
	return 0
}

// maxKept returns the largest size of the exponentials of a step.
func (r requirements) maxKept() int { return maxKept(r.model.entities.Rounded != nil) }

// unitBytes returns the size of what a unit keeps.
func (r requirements) unitBytes() (bytes int) {
	e := r.model.entities
	if r.softmax && r.sparse == 0 {
		bytes = tiles.SoftmaxBytes(e) * r.candidates / e.Count
	}
	if r.predictRelations {
		bytes += r.relationSoftmaxes() * tiles.SoftmaxBytes(r.model.relations[0].Embeddings)
	}
	return bytes
}

// relationSoftmaxes returns the number of softmaxes over relations of a unit.
func (r requirements) relationSoftmaxes() int { return (r.paths-1)/r.model.maxQueries() + 1 }

// workspace holds the memory of a step except the model. Members that train one after the other
// share a workspace.
type workspace struct {
	threads int
	units   []*unit       // of a batch
	active  []*activeUnit // fewer than units if not all exponentials are kept
	scratch []*scratch    // by thread
	sample  *sample       // nil without sampled softmax
	// drawsNegatives says that each unit draws negatives.
	drawsNegatives bool
	byEntity       tiles.RowGradients
	// touched collects gradients in place of byEntity if a step changes few rows; else nil.
	touched *tiles.TouchedRows
	// overEntities and overRelations are the softmaxes of the active units, or nil.
	overEntities, overRelations *tiles.Softmaxes
	byRelation                  []tiles.RowGradients // by table
	norm                        *batchNorm           // nil without batch normalization
	pairs                       [][]unitPair         // by tile of entities
	coreIVR                     coreIVR              // empty without IVR of cores
	coreEnds                    coreEnds

	// allEntities and allRelations sum gradients if a batch needs several rounds of active
	// units.
	allEntities, allRelations kernel.Table
}

// unitPair is a pair with its unit.
type unitPair struct {
	*unit
	pair
}

// newWorkspace allocates a workspace that keeps exponentials of about the given size.
func newWorkspace(r requirements, threads, keptBytes int) *workspace {
	m := r.model
	w := &workspace{
		threads: threads, byEntity: tiles.NewRowGradients(m.entities),
		drawsNegatives: r.drawnNegatives() > 0,
		pairs:          make([][]unitPair, m.entities.Tiles()),
	}
	for _, table := range m.relations {
		w.byRelation = append(w.byRelation, tiles.NewRowGradients(table.Embeddings))
	}
	if m.form.HasNorm() {
		w.norm = newBatchNorm(m.dim)
	}
	for range r.units {
		u := newUnit(m, r)
		if n := r.drawnNegatives(); n > 0 {
			u.negatives = drawnNegatives{make([]int32, n), tiles.NewTable(n, m.dim)}
		}
		w.units = append(w.units, u)
	}
	w.addActiveUnits(r, keptBytes)
	if r.touched && w.sample != nil {
		w.touched = tiles.NewTouchedRows(2*r.units*r.paths + w.sample.Count)
	}
	if n := r.drawnNegatives(); r.touched && n > 0 {
		w.touched = tiles.NewTouchedRows(r.units * (2*r.paths + n))
	}
	for range threads {
		w.scratch = append(w.scratch, newScratch(r))
	}
	if len(w.active) < r.units {
		if w.sample == nil && !w.drawsNegatives {
			w.allEntities = tiles.NewTable(m.entities.Tiles()*tiles.Rows, m.dim)
		}
		if r.predictRelations {
			w.allRelations = tiles.NewTable(
				m.relations[0].Tiles()*tiles.Rows, m.relations[0].columns)
		}
	}
	return w
}

// addActiveUnits allocates active units and their softmaxes.
func (w *workspace) addActiveUnits(r requirements, keptBytes int) {
	m, parts := r.model, r.relationSoftmaxes()
	count := min(r.units, max(w.threads, keptBytes/max(1, r.unitBytes())))
	if r.sparse > 0 { // they keep little
		count = r.units
	}
	if r.softmax {
		e := m.entities
		if n := r.drawnNegatives(); n > 0 {
			e = tiles.Embeddings{Count: n}
		} else if r.candidates < e.Count {
			w.sample = newSample(m, r.candidates)
			e = w.sample.Embeddings
		}
		share := float64(r.candidates) / float64(m.entities.Count)
		w.overEntities = tiles.NewSoftmaxes(m.measure, e, m.dim, count, share, r.sparse)
	}
	if r.predictRelations {
		relations := m.relations[0].Embeddings
		w.overRelations = tiles.NewSoftmaxes(m.measure, relations, m.relations[0].columns, count*parts, 1, 0)
	}
	for i := range count {
		a := &activeUnit{paths: newPaths(m, r.paths, !r.pairs)}
		if r.softmax {
			a.overEntities = w.overEntities.Unit(i)
		}
		if r.predictRelations {
			for part := range parts {
				a.overRelations = append(a.overRelations, w.overRelations.Unit(i*parts+part))
			}
		}
		w.active = append(w.active, a)
	}
}

// gradientOf returns the memory in which a thread sums the gradient of a tile of a table: a part of
// all, if that is allocated, and else of its scratch buffers.
func gradientOf(s *scratch, table tiles.Embeddings, tile int, all kernel.Table) kernel.Table {
	if all.Data == nil {
		return kernel.Table{Data: s.tile.Data, Stride: table.Stride}
	}
	return all.From(tile * tiles.Rows)
}
