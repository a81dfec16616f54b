package cpu

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// onlyTouchedMove says whether entities without a gradient stay as they are in a step.
func (t *trainer) onlyTouchedMove() bool {
	return (t.sample != nil || t.set.SparseGradients > 0) && t.set.Optimizer == kge.Adagrad && t.smoothing == nil && t.set.MaxNorm == 0
}

// updateTouched takes the optimizer steps of the entities of a tile that have a gradient.
func (t *trainer) updateTouched(b *bench, tile, works int, rate float64) {
	start, count, _ := t.entities.Tile(tile)
	var touched [tiles.Rows]bool
	touch := func(entity int) {
		if !touched[entity-start] {
			touched[entity-start] = true
			clear(tiles.PaddedRow(b.tile, entity-start))
		}
	}
	t.byEntity.EachRow(tile, touch)
	for _, pair := range t.pairs[tile] {
		touch(int(pair.entity))
	}
	gradient := kernel.Table{Data: b.tile.Data, Stride: t.entities.Stride}
	if t.sample == nil {
		t.overEntities.EachRow(works, tile, touch)
		t.overEntities.Collect(t.kernels, t.entities, works, tile, gradient, b.scratch, true)
	}
	t.collectRows(tile, gradient)
	for row, is := range touched[:count] {
		if is {
			t.updates[0].Step(start+row, tiles.PaddedRow(gradient, row), rate, t.steps)
		}
	}
	if t.sample != nil { // of which copies are rounded
		return
	}
	for row := 0; row < count; row += tiles.Band {
		n := min(tiles.Band, count-row)
		if slices.Contains(touched[row:row+n], true) {
			t.entities.Round(start+row, n)
		}
	}
}
