package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// norm normalizes states by moving averages, see form.Norm.
type norm struct {
	partitionLayout
	table kernel.Table // of the model, [form.NormRows, d]
	// maps normalize states before a hop and after it. The rows of each are packed: factors and
	// offsets.
	maps [2]kernel.Table
}

func newNorm(table kernel.Table, l partitionLayout) *norm {
	n := &norm{partitionLayout: l, table: table}
	for side := range n.maps {
		n.maps[side] = tiles.NewTable(2, l.stride)
	}
	return n
}

// update computes the maps. n may be nil.
func (n *norm) update() {
	if n == nil {
		return
	}
	dim := n.count * n.size
	var rows []float32
	for row := range form.NormRows {
		rows = append(rows, n.table.Row(row)[:dim]...)
	}
	before, after := form.Norms(rows)
	for side, of := range []form.Norm{before, after} {
		for i, factor := range of.Factors {
			at := i/n.size*n.width + i%n.size
			n.maps[side].Row(0)[at] = float32(factor)
			n.maps[side].Row(1)[at] = float32(of.Offsets[i])
		}
	}
}

// normalize applies a map to packed rows.
func normalize(rows []float32, by kernel.Table) {
	factors := tiles.PaddedRow(by, 0)
	offsets := tiles.PaddedRow(by, 1)
	for ; len(rows) > 0; rows = rows[len(factors):] {
		for i, factor := range factors {
			rows[i] = rows[i]*factor + offsets[i]
		}
	}
}
