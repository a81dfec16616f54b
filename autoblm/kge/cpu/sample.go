package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
)

// sample holds the entities of a sampled softmax.
type sample struct {
	tiles.Embeddings         // copies of their rows
	drawn            []int32 // their ids
	isDrawn          []bool  // by entity
	gradient         kernel.Table
}

func newSample(m *model, count int) *sample {
	s := &sample{
		Embeddings: tiles.Embeddings{Table: tiles.NewTable(count, m.dim), Count: count},
		drawn:      make([]int32, count),
		isDrawn:    make([]bool, m.entities.Count),
	}
	if m.entities.Rounded != nil {
		s.EnableBF16(m.entities.Rounded.Kernels)
	}
	s.gradient = tiles.NewTable(s.Tiles()*tiles.Rows, m.dim)
	return s
}

// draw draws the sample of a step.
func (s *sample) draw(t *trainer) {
	for _, entity := range s.drawn {
		s.isDrawn[entity] = false
	}
	if t.loaded == nil {
		rules.DrawSample(t.member.Seed, uint64(t.steps), s.drawn, s.isDrawn)
	} else {
		s.drawFrom(t)
	}
	tiles.Parallel(t.threads, s.Tiles(), func(_, tile int) {
		start, count, _ := s.Tile(tile)
		for i, entity := range s.drawn[start : start+count] {
			from := tiles.PaddedRow(t.entities.Table, int(entity))
			copy(tiles.PaddedRow(s.Table, start+i), from)
		}
		s.Round(start, count)
	})
}

// drawFrom draws the sample of a step among the loaded entities.
func (s *sample) drawFrom(t *trainer) {
	count := 0
	for _, span := range t.loaded {
		count += span.End - span.Start
	}
	rules.DrawSample(t.member.Seed, uint64(t.steps), s.drawn, s.isDrawn[:count])
	for _, n := range s.drawn {
		s.isDrawn[n] = false
	}
	spans, before := t.loaded, 0 // entities of earlier spans
	for i, n := range s.drawn {
		for int(n)-before >= spans[0].End-spans[0].Start {
			before += spans[0].End - spans[0].Start
			spans = spans[1:]
		}
		s.drawn[i] = int32(spans[0].Start + int(n) - before)
	}
	for _, entity := range s.drawn {
		s.isDrawn[entity] = true
	}
}

// collect adds the gradient of a round. After the last round of a batch it passes the sum on
// to the entities.
func (s *sample) collect(t *trainer, r round) {
	tiles.Parallel(t.threads, s.Tiles(), func(worker, tile int) {
		gradient := s.gradient.From(tile * tiles.Rows)
		t.overEntities.Collect(t.kernels, s.Embeddings, len(r.active), tile, gradient,
			t.scratch[worker].rows, !r.isFirst)
	})
	if r.isLast {
		for i, entity := range s.drawn {
			t.addGradient(entity, tiles.PaddedRow(s.gradient, i))
		}
	}
}

// candidates returns the entities of the softmax in a step.
func (t *trainer) candidates() tiles.Embeddings {
	if t.sample != nil {
		return t.sample.Embeddings
	}
	return t.entities
}

// isNotSampled reports whether an entity is not in the softmax of the step.
func (t *trainer) isNotSampled(entity int32) bool {
	return t.sample != nil && !t.sample.isDrawn[entity]
}
