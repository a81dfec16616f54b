package tiles

import (
	"math/bits"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// TouchedRows collects the gradients of the few rows of a large table that a step changes. It is a
// hash table with open addressing, so its time does not depend on the size of the table.
type TouchedRows struct {
	slots     []int32 // an index in rows + 1; 0 is free
	shift     int
	rows      []touchedRow
	gradients []linkedGradient
}

// touchedRow is a row with the indices of its first and last gradients.
type touchedRow struct{ row, first, last int32 }

// linkedGradient is a gradient with the index of the next one of its row; 0 if it is the last.
type linkedGradient struct {
	gradient []float32
	next     int32
}

// NewTouchedRows returns an empty collection for at most the given number of gradients.
func NewTouchedRows(most int) *TouchedRows {
	size := bits.Len(uint(most)) + 1 // at most half of the slots are used
	return &TouchedRows{slots: make([]int32, 1<<size), shift: 32 - size}
}

// Reset removes all gradients.
func (t *TouchedRows) Reset() {
	clear(t.slots)
	t.rows, t.gradients = t.rows[:0], t.gradients[:0]
}

// Add appends a gradient of a row. It keeps the slice, which must not change before Step.
func (t *TouchedRows) Add(row int32, gradient []float32) {
	n := int32(len(t.gradients))
	t.gradients = append(t.gradients, linkedGradient{gradient, 0})
	const multiplier = 2654435769 // 2^32 divided by the golden ratio
	for at := int(uint32(row) * multiplier >> t.shift); ; at = (at + 1) & (len(t.slots) - 1) {
		if t.slots[at] == 0 {
			t.rows = append(t.rows, touchedRow{row, n, n})
			t.slots[at] = int32(len(t.rows))
			return
		}
		if r := &t.rows[t.slots[at]-1]; r.row == row {
			t.gradients[r.last].next = n
			r.last = n
			return
		}
	}
}

// rowsTogether is the number of rows that a thread updates at a time, and rowsAhead the number of
// rows that are loaded before their turn.
const rowsTogether, rowsAhead = 32, 4

// Parts returns the number of parts for Step.
func (t *TouchedRows) Parts() int { return (len(t.rows) + rowsTogether - 1) / rowsTogether }

// Step takes an optimizer step with the rows of a part. sum is memory for a row.
func (t *TouchedRows) Step(
	k *kernel.Set, u *Updater, part int, sum []float32, rate float64, count int,
) {
	from := part * rowsTogether
	to := min(from+rowsTogether, len(t.rows))
	for i := from - rowsAhead; i < to; i++ {
		if ahead := i + rowsAhead; ahead < to {
			u.prefetch(int(t.rows[ahead].row))
		}
		if i < from {
			continue
		}
		r := t.rows[i]
		clear(sum)
		for n := r.first; ; n = t.gradients[n].next {
			k.ScaleAdd(sum, t.gradients[n].gradient, 1)
			if n == r.last {
				break
			}
		}
		u.Step(int(r.row), sum, rate, count)
	}
}
