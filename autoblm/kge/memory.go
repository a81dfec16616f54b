package kge

import (
	"fmt"

	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/memory"
)

const float32Bytes = 4

// CheckMemory returns an error if training needs more memory than is available: for the tables
// of the members, the state of the optimizer, and extra bytes.
func (s Settings) CheckMemory(d *Data, members []Member, extra float64) error {
	const drawnBytes = 36 // per entity of negative sampling
	drawn := drawnBytes * float64(s.Negatives) * float64(min(s.Batch, d.Count))
	bytes := extra + stateBytes(d, s, members) + drawn
	work := fmt.Sprintf("training %s with dim %d on %s and %s",
		format.Count(len(members), "member"), s.Dim,
		format.Count(len(d.Entities), "entity"), format.Count(len(d.Relations), "relation"))
	return memory.Check(bytes, work,
		"take a smaller dim, smaller batches, fewer members at a time, or fewer negatives")
}

// stateBytes returns the size of the members' tables and of the optimizer's state.
func stateBytes(d *Data, s Settings, members []Member) float64 {
	directions, numbers := 1.0, float64(len(d.Entities))*float64(s.LearnedDim())
	if s.Reciprocal {
		directions = 2
	}
	for _, t := range s.LearnedTables(members[0]) {
		rows := float64(t.Rows)
		if !t.Global {
			rows *= directions * float64(len(d.Relations))
		}
		numbers += rows * float64(t.Columns)
	}
	copies := 2.0 // Adagrad has one slot
	if s.Optimizer == Adam {
		copies = 3
	}
	return float32Bytes * copies * numbers * float64(len(members))
}
