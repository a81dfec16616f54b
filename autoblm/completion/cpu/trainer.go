package cpu

import (
	"context"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/mix"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
	"github.com/autoblm/autoblm-go/datasets"
)

// trainer is one member in training.
type trainer struct {
	*model
	member          completion.Member
	set             completion.Settings
	batch           int
	steps           int
	dropoutKey      uint32 // of the step
	entityUpdates   *tiles.Updater
	relationUpdates *tiles.Updater

	*workspace
}

func newTrainer(m *model, s completion.Settings, member completion.Member, batch int) *trainer {
	return &trainer{
		model: m, member: member, set: s, batch: batch,
		entityUpdates:   tiles.NewUpdater(s.Optimizer, m.kernels, m.entities.Table),
		relationUpdates: tiles.NewUpdater(s.Optimizer, m.kernels, m.relations.Table),
	}
}

// epoch takes a step per batch and returns the mean loss per triple and the
// seconds of each step.
func (t *trainer) epoch(ctx context.Context, triples []datasets.Triple, rate float64) (loss float64, seconds []float64, err error) {
	for start := 0; start < len(triples); start += t.batch {
		began := time.Now()
		chunk := triples[start:min(start+t.batch, len(triples))]
		mean, err := t.step(ctx, chunk, rate)
		if err != nil {
			return 0, nil, err
		}
		loss += mean * float64(len(chunk)) / float64(len(triples))
		seconds = append(seconds, time.Since(began).Seconds())
	}
	return loss, seconds, nil
}

// part is the units of a batch whose exponentials are kept at a time.
type part struct {
	units       []*unit
	first, last bool // of the batch
}

// step trains on a batch and returns its mean loss per triple. When ctx ends
// within it, nothing has moved.
func (t *trainer) step(ctx context.Context, batch []datasets.Triple, rate float64) (float64, error) {
	t.steps++
	t.dropoutKey = tiles.MaskKey(t.member.Seed, t.steps)
	weight := 1 / float32(len(batch))
	count := (len(batch) + unitTriples - 1) / unitTriples
	if t.smoothing != nil {
		tiles.Parallel(t.threads, t.entities.Tiles(), func(_, tile int) { t.smoothing.Sum(t.kernels, t.entities, tile) })
		t.smoothing.Average(t.kernels, t.entities)
	}
	for first := 0; first < count; first += len(t.units) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		kept := t.units[:min(len(t.units), count-first)]
		tiles.Parallel(t.threads, len(kept), func(worker, i int) {
			from := (first + i) * unitTriples
			triples := batch[from:min(from+unitTriples, len(batch))]
			t.losses[first+i] = t.forward(kept[i], first+i, triples, weight, t.scratch[worker])
		})
		p := part{kept, first == 0, first+len(kept) == count}
		if p.last {
			t.gather(count)
			if t.smoothing != nil {
				t.smoothing.Finish(t.kernels, count, weight, t.entities.Count)
			}
		}
		ofEntities := t.entities.Tiles()
		tiles.Parallel(t.threads, ofEntities+t.relations.Tiles(), func(worker, i int) {
			if i < ofEntities {
				t.updateEntities(worker, i, p, rate)
			} else {
				t.updateRelations(worker, i-ofEntities, p, rate)
			}
		})
	}
	loss := 0.0
	for _, l := range t.losses[:count] {
		loss += l
	}
	return loss, nil
}

// gather sorts the gradients by the rows of a batch's units.
func (t *trainer) gather(units int) {
	t.byEntity.Reset()
	t.byRelation.Reset()
	for _, g := range t.gradients[:units] {
		for i, triple := range g.triples {
			t.byEntity.Put(triple.Head, tiles.WholeRow(g.rows[mix.AsHead], i))
			t.byEntity.Put(triple.Tail, tiles.WholeRow(g.rows[mix.AsTail], i))
			t.byRelation.Put(triple.Relation, tiles.WholeRow(g.rows[mix.AsRelation], i))
		}
	}
}

// updateEntities adds a part of the batch to the gradient of a tile of entities,
// and takes the optimizer step when that was the last.
func (t *trainer) updateEntities(worker, tile int, p part, rate float64) {
	start, count, rows := t.entities.Tile(tile)
	gradient := t.gradientOf(worker, tile, t.allEntities)
	for i, u := range p.units {
		u.entities.Collect(t.kernels, tile, gradient, t.scratch[worker], !p.first || i > 0)
	}
	if !p.last {
		return
	}
	t.byEntity.Collect(t.kernels, tile, gradient)
	if t.smoothing != nil {
		t.smoothing.Collect(t.kernels, gradient, count)
	}
	t.entityUpdates.Step(start, gradient.Data[:rows*gradient.Stride], rate, t.steps)
	if t.set.MaxNorm > 0 {
		tiles.Shorten(t.kernels, t.entities.From(start), count, t.set.MaxNorm)
	}
}

// updateRelations does the same for a tile of relations.
func (t *trainer) updateRelations(worker, tile int, p part, rate float64) {
	start, _, rows := t.relations.Tile(tile)
	gradient := t.gradientOf(worker, tile, t.allRelations)
	if t.member.RelationPrediction > 0 {
		for i, u := range p.units {
			u.relations.Collect(t.kernels, tile, gradient, t.scratch[worker], !p.first || i > 0)
		}
	} else {
		clear(gradient.Data[:rows*gradient.Stride])
	}
	if !p.last {
		return
	}
	t.byRelation.Collect(t.kernels, tile, gradient)
	t.relationUpdates.Step(start, gradient.Data[:rows*gradient.Stride], rate, t.steps)
}
