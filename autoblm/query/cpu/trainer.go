package cpu

import (
	"context"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/query"
)

// keptBytes is how much room the exponentials of a step may take, but for a unit
// on each thread, which needs it in any case.
const keptBytes = 40 << 20

// trainer is a model in training.
type trainer struct {
	scorer
	set                            query.Settings
	member                         query.Member
	negatives                      query.Negatives
	steps                          int
	entityUpdates, relationUpdates *tiles.Updater

	units      []*unit          // of a batch
	softmaxes  []*tiles.Softmax // of the units that are at work at a time
	losses     []float64        // by unit
	benches    []*bench         // by thread
	byEntity   tiles.Gathering
	byRelation tiles.Gathering
	pairs      [][]unitPair // by tile of entities
	all        kernel.Table // the gradient by all entities, where not all units are at work at a time
}

// unitPair is a pair of a unit.
type unitPair struct {
	*unit
	pair
}

// NewTrainer implements [query.Engine].
func (e *Engine) NewTrainer(d *query.Data, s query.Settings, m query.Member) (query.Trainer, error) {
	return e.newTrainer(d, s, m, keptBytes), nil
}

func (e *Engine) newTrainer(d *query.Data, s query.Settings, member query.Member, kept int) *trainer {
	m := newModel(e.kernels, query.Initialize(d, s, member))
	t := &trainer{
		scorer: scorer{m, e.threads}, set: s, member: member,
		negatives:       query.Negatives{Seed: member.Seed, Entities: m.entities.Count, Count: s.Negatives},
		entityUpdates:   tiles.NewUpdater(s.Optimizer, e.kernels, m.entities.Table),
		relationUpdates: tiles.NewUpdater(s.Optimizer, e.kernels, m.relations.Table),
		byEntity:        tiles.NewGathering(m.entities),
		byRelation:      tiles.NewGathering(m.relations),
		pairs:           make([][]unitPair, m.entities.Tiles()),
	}
	units := unitsOf(s.Batch)
	atWork := units
	if s.Negatives == 0 {
		atWork = min(units, max(e.threads, kept/tiles.SoftmaxBytes(m.entities)))
	}
	t.losses = make([]float64, units)
	for range units {
		t.units = append(t.units, newUnit(m))
	}
	for range atWork {
		var s *tiles.Softmax
		if t.set.Negatives == 0 {
			s = tiles.NewSoftmaxBy(m.measure.ofAll(), m.entities, m.dim)
		}
		t.softmaxes = append(t.softmaxes, s)
	}
	if atWork < units {
		t.all = tiles.NewTable(m.entities.Count, m.dim)
	}
	for range e.threads {
		t.benches = append(t.benches, newBench(m))
	}
	return t
}

// unitsOf is how many units a batch is cut into.
func unitsOf(batch int) int { return (batch + tiles.MostQueries - 1) / tiles.MostQueries }

// Parameters implements [query.Trainer].
func (t *trainer) Parameters() query.Parameters { return t.parameters() }

// Epoch implements [query.Trainer].
func (t *trainer) Epoch(ctx context.Context, batches [][]query.Example, rate float64) (loss float64, seconds []float64, err error) {
	queries := 0
	for _, batch := range batches {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		began := time.Now()
		loss += t.step(batch, rate) * float64(len(batch))
		queries += len(batch)
		seconds = append(seconds, time.Since(began).Seconds())
	}
	return loss / float64(queries), seconds, nil
}

// atWork is the units of a batch that are at work at a time.
type atWork struct {
	softmaxes   []*tiles.Softmax
	first, last bool // of the batch
}

// step trains on a batch and returns its mean loss per query.
func (t *trainer) step(batch []query.Example, rate float64) float64 {
	t.steps++
	return t.pass(batch, func(start int, gradient kernel.Table, rows int) {
		t.entityUpdates.Step(start, first(gradient, rows), rate, t.steps)
		if t.set.MaxNorm > 0 {
			tiles.Shorten(t.kernels, t.entities.From(start), min(rows, t.entities.Count-start), t.set.MaxNorm)
		}
	}, func(start int, gradient kernel.Table, rows int) {
		t.relationUpdates.Step(start, first(gradient, rows), rate, t.steps)
	})
}

// Gradient implements [query.Trainer].
func (t *trainer) Gradient(batch []query.Example) (loss float64, gradient query.Parameters) {
	t.steps++ // that of the next step
	defer func() { t.steps-- }()
	entities, relations := t.entities.Zeros(), t.relations.Zeros()
	loss = t.pass(batch, func(start int, gradient kernel.Table, rows int) {
		copy(entities.From(start).Data, first(gradient, rows))
	}, func(start int, gradient kernel.Table, rows int) {
		copy(relations.From(start).Data, first(gradient, rows))
	})
	gradient = t.parameters()
	gradient.Entities, gradient.Relations = entities.Dense(t.dim), relations.Dense(t.dim)
	return loss, gradient
}

// taker gets the gradient by the rows of a table from the given one on.
type taker func(start int, gradient kernel.Table, rows int)

// pass returns the mean loss per query of a batch, and hands its gradient to the
// takers, a tile at a time, from several threads.
func (t *trainer) pass(batch []query.Example, ofEntities, ofRelations taker) float64 {
	weight := 1 / float32(len(batch))
	units := unitsOf(len(batch))
	for start := 0; start < units; start += len(t.softmaxes) {
		w := atWork{t.softmaxes[:min(len(t.softmaxes), units-start)], start == 0, false}
		w.last = start+len(w.softmaxes) == units
		tiles.Parallel(t.threads, len(w.softmaxes), func(worker, i int) {
			from := (start + i) * tiles.MostQueries
			examples := batch[from:min(from+tiles.MostQueries, len(batch))]
			t.losses[start+i] = t.forward(t.benches[worker], t.units[start+i], w.softmaxes[i], examples, from, weight)
		})
		update := t.entities.Tiles()
		if w.last {
			t.gather(t.units[:units])
			update += t.relations.Tiles()
		}
		tiles.Parallel(t.threads, update, func(worker, i int) {
			if relations := i - t.entities.Tiles(); relations >= 0 {
				t.collectRelations(t.benches[worker], relations, ofRelations)
			} else {
				t.collectEntities(t.benches[worker], i, w, ofEntities)
			}
		})
	}
	loss := 0.0
	for _, l := range t.losses[:units] {
		loss += l
	}
	return loss
}

// gather sorts the gradients by the rows of units, and their pairs.
func (t *trainer) gather(units []*unit) {
	t.byEntity.Reset()
	t.byRelation.Reset()
	for tile := range t.pairs {
		t.pairs[tile] = t.pairs[tile][:0]
	}
	for _, u := range units {
		for i, x := range u.examples {
			t.byEntity.Put(x.Anchor, tiles.WholeRow(u.gradients.anchors, i))
			t.byEntity.Put(x.Answer, tiles.WholeRow(u.byAnswers, i))
			for hop, r := range x.Relations {
				row, _ := t.place(r)
				for n := range t.relationRows {
					t.byRelation.Put(int32(row+n), tiles.WholeRow(u.gradients.relations[hop], i*t.relationRows+n))
				}
			}
		}
		for _, p := range u.pairs {
			tile := p.entity / tiles.Rows
			t.pairs[tile] = append(t.pairs[tile], unitPair{u, p})
		}
	}
}

// collectEntities adds the units at work to the gradient by a tile of entities, and
// hands it on when these were the last.
func (t *trainer) collectEntities(b *bench, tile int, w atWork, take taker) {
	start, _, rows := t.entities.Tile(tile)
	gradient := b.tile
	if t.all.Data != nil {
		gradient = t.all.From(start)
	}
	if t.set.Negatives > 0 {
		clear(first(gradient, rows))
	} else {
		for i, s := range w.softmaxes {
			s.Collect(t.kernels, tile, gradient, b.scratch, !w.first || i > 0)
		}
	}
	if !w.last {
		return
	}
	t.byEntity.Collect(t.kernels, tile, gradient)
	for _, p := range t.pairs[tile] {
		entity := int(p.entity)
		t.measure.byEntity(tiles.WholeRow(gradient, entity-start), part(p.queries, int(p.path), t.stateRows), tiles.WholeRow(t.entities.Table, entity), p.slope)
	}
	take(start, gradient, rows)
}

// collectRelations does the same for a tile of rows of relations.
func (t *trainer) collectRelations(b *bench, tile int, take taker) {
	start, _, rows := t.relations.Tile(tile)
	clear(first(b.tile, rows))
	t.byRelation.Collect(t.kernels, tile, b.tile)
	take(start, b.tile, rows)
}
