package cpu

import (
	"context"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
)

// lesson is what is learnt of the examples.
type lesson interface {
	// ways is how many questions an example is.
	ways() int
	// learn returns the part of the loss of a unit, whose number counts the units of
	// the batch, and leaves the gradients by its rows. weight is that of an example
	// in the mean over the batch.
	learn(t *trainer, b *bench, u *unit, w *work, number int, weight float32) float64
	// mean is the mean loss of an epoch, given those of the steps on so many examples.
	// The two lessons have always added up in different orders.
	mean(losses []float64, sizes []int, all int) float64
}

// trainer is one member in training.
type trainer struct {
	*model
	lesson    lesson
	set       kge.Settings
	member    kge.Member
	negatives rules.Negatives
	steps     int
	updates   []*tiles.Updater // of the tables of the model
	layout    layout

	*workspace
	over    func() bool // whether the step is to end early
	stepped func()      // is told of each step
}

func newTrainer(m *model, l lesson, s kge.Settings, member kge.Member) *trainer {
	t := &trainer{model: m, lesson: l, set: s, member: member, negatives: rules.Negatives{Seed: member.Seed, Entities: m.entities.Count, Count: s.Negatives}, layout: newLayout(m.mostQueries(), l)}
	for _, table := range m.tables() {
		if s.Optimizer == kge.Adam {
			t.updates = append(t.updates, tiles.NewAdam(m.kernels, table.Table))
		} else {
			t.updates = append(t.updates, tiles.NewAdagrad(m.kernels, table.Table))
		}
	}
	return t
}

// slots are what the optimizer remembers, by slot and table.
func (t *trainer) slots() [][]tiles.Embeddings {
	all := make([][]tiles.Embeddings, len(t.updates[0].Slots()))
	for i, table := range t.tables() {
		for n, numbers := range t.updates[i].Slots() {
			all[n] = append(all[n], tiles.Embeddings{Table: kernel.Table{Data: numbers, Stride: table.Stride}, Count: table.Count})
		}
	}
	return all
}

// epoch takes a step per batch and returns the mean loss per example and the
// seconds of each step.
func (t *trainer) epoch(ctx context.Context, batches [][]kge.Example, rate float64) (loss float64, seconds []float64, err error) {
	all, losses, sizes := 0, make([]float64, len(batches)), make([]int, len(batches))
	if t.sample != nil {
		defer t.entities.RoundAll() // which is of no use to the steps
	}
	for i, batch := range batches {
		began := time.Now()
		if losses[i], err = t.step(ctx, batch, rate); err != nil {
			return 0, nil, err
		}
		sizes[i] = len(batch)
		all += len(batch)
		seconds = append(seconds, time.Since(began).Seconds())
		t.stepped()
	}
	return t.lesson.mean(losses, sizes, all), seconds, nil
}

// piece is the units of a batch that are at work at a time.
type piece struct {
	works       []*work
	first, last bool // of the batch
}

// step trains on a batch and returns its mean loss per example. When ctx ends
// within it, nothing has moved.
func (t *trainer) step(ctx context.Context, batch []kge.Example, rate float64) (float64, error) {
	t.steps++
	if t.shared && t.lesson.ways() > 1 && t.set.Dropout == 0 { // so that many share rows of relations; what is dropped goes by their order
		batch = slices.SortedStableFunc(slices.Values(batch), func(a, b kge.Example) int { return slices.Compare(a.Path, b.Path) })
	}
	weight := 1 / float32(len(batch))
	units := t.layout.cut(batch, t.units)
	if t.smoothing != nil {
		tiles.Parallel(t.threads, t.entities.Tiles(), func(_, tile int) { t.smoothing.SumTile(t.kernels, t.entities, tile) })
		t.smoothing.Average(t.kernels, t.entities)
	}
	if t.sample != nil {
		t.sample.draw(t)
	}
	t.over = func() bool { return ctx.Err() != nil }
	for start := 0; start < len(units); start += len(t.works) {
		p := piece{t.works[:min(len(t.works), len(units)-start)], start == 0, false}
		p.last = start+len(p.works) == len(units)
		tiles.Parallel(t.threads, len(p.works), func(worker, i int) {
			if t.over() {
				return
			}
			u, w := units[start+i], p.works[i]
			u.fetch(t.model, w, t.reversesToo())
			u.loss = t.lesson.learn(t, t.benches[worker], u, w, start+i, weight)
		})
		if err := ctx.Err(); err != nil {
			t.steps--
			return 0, err
		}
		if p.last {
			t.gather(units)
			if t.smoothing != nil {
				t.smoothing.FinishStep(t.kernels, len(units), weight, t.entities.Count)
			}
		}
		if t.sample != nil {
			t.sample.collect(t, p)
		}
		t.update(p, rate)
	}
	loss := 0.0
	for _, u := range units {
		loss += u.loss
	}
	return loss, nil
}

// reversesToo says whether the reverse of an example is one of its own.
func (t *trainer) reversesToo() bool { return t.reciprocal && t.lesson.ways() > 1 }

// dropping is the measure, where the settings have dropout.
func (t *trainer) dropping() tiles.Dropper { return t.measure.(tiles.Dropper) }

// draw decides which coordinates of the queries of a unit are dropped. An example's
// questions have numbers one after the other.
func (t *trainer) draw(mask *tiles.Mask, first, asked int) {
	key, ways := tiles.DropoutKey(t.member.Seed, t.steps), t.lesson.ways()
	n := asked / ways
	for way := range ways {
		for i := range n {
			mask.Draw(key, way*n+i, ways*(first+i)+way, t.dim, t.set.Dropout)
		}
	}
}

// chance is what the slopes of a unit's questions are drawn by, where they are few.
func (t *trainer) chance(u *unit) tiles.Sampling {
	return tiles.Sampling{Key: tiles.SamplingKey(t.member.Seed, t.steps), First: u.first, Directions: t.lesson.ways()}
}

// gather sorts the gradients by the rows of a batch's units, and their pairs.
func (t *trainer) gather(units []*unit) {
	t.byEntity.Reset()
	for _, g := range t.byRelation {
		g.Reset()
	}
	for tile := range t.pairs {
		t.pairs[tile] = t.pairs[tile][:0]
	}
	for _, u := range units {
		for i := range u.examples {
			x := &u.examples[i]
			t.byEntity.Add(x.Anchor, tiles.PaddedRow(u.gradients.anchors, i))
			t.byEntity.Add(x.Target, tiles.PaddedRow(u.gradients.targets, i))
			for hop := range x.Path {
				if !u.gradients.opens(hop, i) {
					continue
				}
				own := u.gradients.slots[hop][i]
				for n, table := range t.relations {
					for row := range table.rows {
						t.byRelation[n].Add(own.relation*int32(table.rows)+int32(row), tiles.PaddedRow(u.gradients.relations[hop][n], int(own.rows)*table.rows+row))
					}
				}
			}
		}
		for _, p := range u.pairs {
			tile := p.entity / tiles.Rows
			t.pairs[tile] = append(t.pairs[tile], unitPair{u, p})
		}
	}
}

// update adds a piece of the batch to the gradients of all tiles, and takes the
// optimizer steps when that was the last.
func (t *trainer) update(p piece, rate float64) {
	ends := []int{t.entities.Tiles()} // of the tables, in tiles
	for i, table := range t.relations {
		if p.last || i == 0 && t.member.RelationPrediction > 0 {
			ends = append(ends, ends[i]+table.Tiles())
		} else {
			ends = append(ends, ends[i])
		}
	}
	tiles.Parallel(t.threads, ends[len(ends)-1], func(worker, i int) {
		if i < ends[0] {
			t.updateEntities(t.benches[worker], i, p, rate)
			return
		}
		table := 1
		for i >= ends[table] {
			table++
		}
		t.updateRelations(t.benches[worker], table-1, i-ends[table-1], p, rate)
	})
}

func (t *trainer) updateEntities(b *bench, tile int, p piece, rate float64) {
	if t.onlyTouchedMove() {
		if p.last {
			t.updateTouched(b, tile, len(p.works), rate)
		}
		return
	}
	start, count, rows := t.entities.Tile(tile)
	gradient := gradientOf(b, t.entities, tile, t.allEntities)
	if t.overEntities == nil || t.sample != nil {
		clear(first(gradient, rows))
	} else {
		t.overEntities.Collect(t.kernels, t.entities, len(p.works), tile, gradient, b.scratch, !p.first)
	}
	if !p.last {
		return
	}
	t.collectRows(tile, gradient)
	if t.smoothing != nil {
		t.smoothing.Collect(t.kernels, gradient, count)
	}
	for row := 0; row < rows; row += tiles.Band { // few at a time, which stay in cache
		n := min(tiles.Band, rows-row)
		t.updates[0].Step(start+row, gradient.From(row).Data[:n*gradient.Stride], rate, t.steps)
		if t.set.MaxNorm > 0 {
			tiles.ClipNorms(t.kernels, t.entities.From(start+row), min(n, count-row), t.set.MaxNorm)
		}
		if t.sample == nil {
			t.entities.Round(start+row, min(n, count-row))
		}
	}
}

// collectRows adds to the gradient of a tile of entities what some of them got by themselves.
func (t *trainer) collectRows(tile int, gradient kernel.Table) {
	t.byEntity.Collect(t.kernels, tile, gradient)
	for _, pair := range t.pairs[tile] {
		entity := int(pair.entity)
		t.measure.AddGradRow(t.kernels, tiles.PaddedRow(gradient, entity-tile*tiles.Rows), part(pair.queries, int(pair.path), t.stateRows), tiles.PaddedRow(t.entities.Table, entity), pair.slope)
	}
}

func (t *trainer) updateRelations(b *bench, table, tile int, p piece, rate float64) {
	of := t.relations[table]
	start, count, rows := of.Tile(tile)
	predicted := table == 0 && t.member.RelationPrediction > 0
	all := kernel.Table{}
	if predicted {
		all = t.allRelations
	}
	gradient := gradientOf(b, of.Embeddings, tile, all)
	if predicted {
		t.overRelations.Collect(t.kernels, of.Embeddings, len(p.works)*len(p.works[0].overRelations), tile, gradient, b.scratch, !p.first)
	} else {
		clear(first(gradient, rows))
	}
	if !p.last {
		return
	}
	t.byRelation[table].Collect(t.kernels, tile, gradient)
	t.updates[1+table].Step(start, first(gradient, rows), rate, t.steps)
	of.Round(start, count)
}
