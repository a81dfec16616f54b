package cpu

import (
	"context"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/datasets"
)

// keptBytes is how much room the exponentials of a step may take, but for a
// unit on each thread, which needs it in any case.
const keptBytes = 40 << 20

// trainer is one member in training.
type trainer struct {
	*model
	member           completion.Member
	batch            int
	steps            int
	entityUpdates    *updater
	relationUpdates  *updater
	relationGradient kernel.Table

	*workspace
}

func newTrainer(m *model, s completion.Settings, member completion.Member, batch int) *trainer {
	return &trainer{
		model: m, member: member, batch: batch,
		entityUpdates:    newUpdater(s.Optimizer, m.kernels, m.entities),
		relationUpdates:  newUpdater(s.Optimizer, m.kernels, m.relations),
		relationGradient: newTable(m.relationCount, m.dim),
	}
}

// workspace is what a step needs beside the model. Members that train one after
// the other share one.
type workspace struct {
	threads   int
	units     []*unit        // those whose exponentials are kept at a time
	gradients []gradients    // of all units of a batch
	losses    []float64      // of all units of a batch
	byTile    [][]gathered   // rows of the batch's triples, by the tile of their entity
	byWorker  []kernel.Table // a worker's gradient of a tile of entities
	scratch   []kernel.Table // a worker's room for a unit's queries
	all       kernel.Table   // the gradient of all entities, where not all units are kept
}

// gathered is a row that was looked up for a triple: the entity gets its gradient.
type gathered struct {
	entity   int32
	gradient []float32
}

func newWorkspace(m *model, batch, threads, kept int) *workspace {
	count := (batch + unitTriples - 1) / unitTriples
	w := &workspace{threads: threads, losses: make([]float64, count), byTile: make([][]gathered, m.tiles())}
	for range count {
		w.gradients = append(w.gradients, gradients{newTable(unitTriples, m.dim), newTable(unitTriples, m.dim), newTable(unitTriples, m.dim)})
	}
	for range min(count, max(threads, kept/unitBytes(m))) {
		w.units = append(w.units, newUnit(m))
	}
	for range threads {
		w.byWorker = append(w.byWorker, newTable(tileRows, m.dim))
		w.scratch = append(w.scratch, newTable(unitQueries, m.dim))
	}
	if len(w.units) < count {
		w.all = newTable(m.entityCount, m.dim)
	}
	return w
}

// epoch takes a step per batch and returns the mean loss per triple and the
// seconds of each step.
func (t *trainer) epoch(ctx context.Context, triples []datasets.Triple, scale float64) (loss float64, seconds []float64, err error) {
	for start := 0; start < len(triples); start += t.batch {
		began := time.Now()
		chunk := triples[start:min(start+t.batch, len(triples))]
		mean, err := t.step(ctx, chunk, t.member.LearningRate*scale)
		if err != nil {
			return 0, nil, err
		}
		loss += mean * float64(len(chunk)) / float64(len(triples))
		seconds = append(seconds, time.Since(began).Seconds())
	}
	return loss, seconds, nil
}

// step trains on a batch and returns its mean loss per triple. When ctx ends
// within it, nothing has moved.
func (t *trainer) step(ctx context.Context, batch []datasets.Triple, rate float64) (float64, error) {
	t.steps++
	weight := 1 / float32(len(batch))
	count := (len(batch) + unitTriples - 1) / unitTriples
	for first := 0; first < count; first += len(t.units) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		kept := t.units[:min(len(t.units), count-first)]
		parallel(t.threads, len(kept), func(_, i int) {
			from := (first + i) * unitTriples
			triples := batch[from:min(from+unitTriples, len(batch))]
			t.losses[first+i] = kept[i].forward(t.model, triples, weight, t.gradients[first+i]) + t.penalize(kept[i], t.gradients[first+i])
		})
		last := first+len(kept) == count
		if last {
			t.gather(batch)
		}
		parallel(t.threads, t.tiles(), func(worker, tile int) { t.updateTile(worker, tile, kept, first > 0, last, rate) })
	}
	t.stepRelations(batch, rate)
	loss := 0.0
	for _, l := range t.losses[:count] {
		loss += l
	}
	return loss, nil
}

// updateTile adds the kept units' part to the gradient of a tile of entities, and
// takes the optimizer step when there is no more to come.
func (t *trainer) updateTile(worker, tile int, kept []*unit, more, last bool, rate float64) {
	start, _, rows := t.tile(tile)
	gradient := t.byWorker[worker]
	if t.all.Data != nil {
		gradient = t.all.From(start)
	}
	for i, u := range kept {
		u.collect(t.model, tile, gradient, t.scratch[worker], more || i > 0)
	}
	if !last {
		return
	}
	for _, row := range t.byTile[tile] {
		at := gradient.Row(int(row.entity) - start)[:gradient.Stride]
		t.kernels.ScaleAdd(at, row.gradient, 1)
	}
	t.entityUpdates.step(start, gradient.Data[:rows*gradient.Stride], rate, t.steps)
}

// gather sorts the rows of the batch's triples by the tiles of their entities.
func (t *trainer) gather(batch []datasets.Triple) {
	for i := range t.byTile {
		t.byTile[i] = t.byTile[i][:0]
	}
	for i, triple := range batch {
		g, row := t.gradients[i/unitTriples], i%unitTriples
		for _, end := range []gathered{
			{triple.Head, g.heads.Row(row)[:g.heads.Stride]},
			{triple.Tail, g.tails.Row(row)[:g.tails.Stride]},
		} {
			t.byTile[end.entity/tileRows] = append(t.byTile[end.entity/tileRows], end)
		}
	}
}

func (t *trainer) stepRelations(batch []datasets.Triple, rate float64) {
	sum := t.relationGradient
	clear(sum.Data)
	for i, triple := range batch {
		from := t.gradients[i/unitTriples].relations
		t.kernels.ScaleAdd(sum.Row(int(triple.Relation))[:sum.Stride], from.Row(i % unitTriples)[:from.Stride], 1)
	}
	t.relationUpdates.step(0, sum.Data, rate, t.steps)
}

// penalize returns the penalties of a unit's rows and adds their gradient.
func (t *trainer) penalize(u *unit, g gradients) float64 {
	l2, n3 := t.member.L2, t.member.N3
	if l2 == 0 && n3 == 0 {
		return 0
	}
	squares, cubes := 0.0, 0.0
	slope2, slope3 := float32(2*l2)*u.weight, float32(3*n3)*u.weight
	for _, side := range [][2]kernel.Table{{u.heads, g.heads}, {u.relations, g.relations}, {u.queries.tails, g.tails}} {
		n := len(u.triples) * side[0].Stride // whole rows: what pads them is 0 and stays so
		square, cube := t.kernels.Penalize(side[1].Data[:n], side[0].Data[:n], slope2, slope3)
		squares, cubes = squares+square, cubes+cube
	}
	return float64(u.weight) * (l2*squares + n3*cubes)
}
