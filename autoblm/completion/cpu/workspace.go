package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
)

// keptBytes is how much room the exponentials of a step may take, but for a
// unit on each thread, which needs it in any case.
const keptBytes = 40 << 20

// demand is what the steps of a population need room for.
type demand struct {
	model     *model // one of them
	batch     int
	dropout   bool
	smoothing float64
	relations bool // are predicted, by some member
}

// unitBytes is what a unit keeps.
func (d demand) unitBytes() int {
	if d.relations {
		return tiles.SoftmaxBytes(d.model.entities) + tiles.SoftmaxBytes(d.model.relations)
	}
	return tiles.SoftmaxBytes(d.model.entities)
}

// workspace is what a step needs beside the model. Members that train one after
// the other share one.
type workspace struct {
	threads    int
	units      []*unit          // those whose exponentials are kept at a time
	gradients  []lookup         // by the rows of all units of a batch
	losses     []float64        // of all units of a batch
	smoothing  *tiles.Smoothing // nil without
	byEntity   tiles.Gathering
	byRelation tiles.Gathering
	byWorker   []kernel.Table // a worker's gradient of a tile
	scratch    []kernel.Table // a worker's room for a unit's queries

	// The gradients of all entities and of all relations, where not all units are kept.
	allEntities, allRelations kernel.Table
}

func newWorkspace(d demand, threads, kept int) *workspace {
	m := d.model
	count := (d.batch + unitTriples - 1) / unitTriples
	w := &workspace{threads: threads, losses: make([]float64, count), byEntity: tiles.NewGathering(m.entities), byRelation: tiles.NewGathering(m.relations)}
	for range count {
		w.gradients = append(w.gradients, newLookup(m))
	}
	for range min(count, max(threads, kept/d.unitBytes())) {
		w.units = append(w.units, newUnit(d))
	}
	for range threads {
		w.byWorker = append(w.byWorker, tiles.NewTable(tiles.Rows, m.dim))
		w.scratch = append(w.scratch, tiles.NewTable(tiles.MostQueries, m.dim))
	}
	if d.smoothing > 0 {
		w.smoothing = tiles.NewSmoothing(d.smoothing, m.entities, count)
	}
	if len(w.units) < count {
		w.allEntities = tiles.NewTable(m.entities.Count, m.dim)
		if d.relations {
			w.allRelations = tiles.NewTable(m.relations.Count, m.dim)
		}
	}
	return w
}

// gradientOf is where a worker sums the gradient of a tile: in all, where there
// is such a table.
func (w *workspace) gradientOf(worker, tile int, all kernel.Table) kernel.Table {
	if all.Data == nil {
		return w.byWorker[worker]
	}
	return all.From(tile * tiles.Rows)
}
