package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
)

// sample is the entities that a step learns its answers among, where that is not all.
type sample struct {
	tiles.Embeddings         // copies of their rows
	drawn            []int32 // which they are
	among            []bool  // whether an entity is one of them
	gradient         kernel.Table
}

// newSample is for so many entities of a model.
func newSample(m *model, count int) *sample {
	s := &sample{tiles.Embeddings{Table: tiles.NewTable(count, m.dim), Count: count}, make([]int32, count), make([]bool, m.entities.Count), kernel.Table{}}
	if m.entities.Rounded != nil {
		s.EnableBF16(m.entities.Rounded.Kernels)
	}
	s.gradient = tiles.NewTable(s.Tiles()*tiles.Rows, m.dim)
	return s
}

// draw readies the sample for a step.
func (s *sample) draw(t *trainer) {
	for _, entity := range s.drawn {
		s.among[entity] = false
	}
	rules.SoftmaxSample{Seed: t.member.Seed, Entities: t.entities.Count}.Draw(t.steps, s.drawn, s.among)
	tiles.Parallel(t.threads, s.Tiles(), func(_, tile int) {
		start, count, _ := s.Tile(tile)
		for i, entity := range s.drawn[start : start+count] {
			copy(tiles.PaddedRow(s.Table, start+i), tiles.PaddedRow(t.entities.Table, int(entity)))
		}
		s.Round(start, count)
	})
}

// collect adds what a piece of the batch gives to the gradient by the sample, and hands it to
// the entities after the last.
func (s *sample) collect(t *trainer, p piece) {
	tiles.Parallel(t.threads, s.Tiles(), func(worker, tile int) {
		t.overEntities.Collect(t.kernels, s.Embeddings, len(p.works), tile, s.gradient.From(tile*tiles.Rows), t.benches[worker].scratch, !p.first)
	})
	if p.last {
		for i, entity := range s.drawn {
			t.byEntity.Add(entity, tiles.PaddedRow(s.gradient, i))
		}
	}
}

// candidates are the entities that the answers of a step are learnt among.
func (t *trainer) candidates() tiles.Embeddings {
	if t.sample != nil {
		return t.sample.Embeddings
	}
	return t.entities
}

// outside says whether an entity is none of the candidates.
func (t *trainer) outside(entity int32) bool { return t.sample != nil && !t.sample.among[entity] }
