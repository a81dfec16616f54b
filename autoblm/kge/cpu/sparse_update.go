package cpu

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// hasSparseUpdates reports whether entities without a gradient stay unchanged in a step.
func (t *trainer) hasSparseUpdates() bool {
	isSparse := t.sample != nil || t.settings.SparseGradients > 0
	return isSparse && t.settings.Optimizer == kge.Adagrad && t.settings.MaxNorm == 0
}

// updateTouched updates the entities of a tile that have a gradient.
func (t *trainer) updateTouched(s *scratch, tile, activeUnits int, rate float64) {
	start, count, _ := t.entities.Tile(tile)
	var isTouched [tiles.Rows]bool
	touch := func(entity int) {
		if !isTouched[entity-start] {
			isTouched[entity-start] = true
			clear(tiles.PaddedRow(s.tile, entity-start))
		}
	}
	t.byEntity.EachRow(tile, touch)
	for _, pair := range t.pairs[tile] {
		touch(int(pair.entity))
	}
	gradient := kernel.Table{Data: s.tile.Data, Stride: t.entities.Stride}
	if t.sample == nil {
		t.overEntities.EachRow(activeUnits, tile, touch)
		t.overEntities.Collect(t.kernels, t.entities, activeUnits, tile, gradient, s.rows, true)
	}
	t.collectRows(tile, gradient)
	for row, touched := range isTouched[:count] {
		if touched {
			t.updates[0].Step(start+row, tiles.PaddedRow(gradient, row), rate, t.steps)
		}
	}
	if t.sample != nil { // only the sample's copies are rounded in each step
		return
	}
	for row := 0; row < count; row += tiles.Band {
		n := min(tiles.Band, count-row)
		if slices.Contains(isTouched[row:row+n], true) {
			t.entities.Round(start+row, n)
		}
	}
}
